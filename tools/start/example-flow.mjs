/** Makes one small published flow by the API in a new installation, so that a new user has a flow to call. */
import { code, trigger } from '../flow-steps.mjs';
import { say } from '../progress.mjs';
import { httpRequest } from './http-request.mjs';

/** @returns the id of the example flow, or undefined when it cannot be called */
export async function ensureExampleFlow(baseUrl, credentials) {
  const call = caller(baseUrl, credentials.get('apiKey'));
  try {
    const flowId = credentials.get('exampleFlowId');
    if (!flowId) return await makeFlow(call, credentials);
    return await finishOrFind(call, flowId);
  } catch (/** @type {any} */ error) {
    say(`The example flow could not be made (${error.message}). The service itself runs.`);
    return undefined;
  }
}

async function makeFlow(call, credentials) {
  const projectId = await firstProject(call);
  const { data: flows } = await call('GET', `/flows?projectId=${projectId}&limit=1`);
  if (flows.length > 0) return undefined; // a database that was used before, for example a restored one
  const flow = await call('POST', '/flows', { displayName: example.displayName, projectId });
  credentials.remember({ projectId, exampleFlowId: flow.id });
  return publish(call, flow.id);
}

async function firstProject(call) {
  const { data } = await call('GET', '/projects?limit=100');
  if (data.length === 0) throw new Error('the installation has no project yet');
  return data.at(-1).id; // the list has the newest project first
}

async function publish(call, flowId) {
  await call('POST', `/flows/${flowId}`, { type: 'IMPORT_FLOW', request: example });
  await call('POST', `/flows/${flowId}`, { type: 'LOCK_AND_PUBLISH', request: {} });
  return flowId;
}

/** Publishes a flow whose first start was interrupted before that. A flow that its owner has deleted stays deleted. */
async function finishOrFind(call, flowId) {
  const flow = await call('GET', `/flows/${flowId}`, undefined, [404]);
  if (!flow) return undefined;
  if (!flow.publishedVersionId) return publish(call, flowId);
  return flow.status === 'ENABLED' ? flowId : undefined;
}

function caller(baseUrl, apiKey) {
  return async (method, path, body, absent = []) => {
    const { status, text } = await httpRequest(`${baseUrl}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
      timeoutMs: 30_000,
    });
    if (absent.includes(status)) return undefined;
    const content = JSON.parse(text);
    if (status >= 400)
      throw new Error(`${method} ${path} answered ${status}: ${content.params?.message ?? content.code}`);
    return content;
  };
}

const titled = (displayName, step) => ({ ...step, displayName });

const byLanguage = {
  name: 'by_language',
  displayName: 'In which language?',
  type: 'ROUTER',
  valid: true,
  settings: {
    executionType: 'EXECUTE_FIRST_MATCH',
    branches: [
      {
        branchType: 'CONDITION',
        branchName: 'Deutsch',
        conditions: [
          [{ firstValue: '{{trigger.body.language}}', operator: 'TEXT_EXACTLY_MATCHES', secondValue: 'de' }],
        ],
      },
      { branchType: 'FALLBACK', branchName: 'English' },
    ],
  },
  children: [
    titled(
      'Greet in German',
      code('greet_in_german', 'export const code = async ({ name }) => `Guten Tag, ${name}!`;', {
        name: '{{who.name}}',
      }),
    ),
    titled(
      'Greet in English',
      code('greet_in_english', 'export const code = async ({ name }) => `Hello, ${name}!`;', { name: '{{who.name}}' }),
    ),
  ],
};

const who = code(
  'who',
  "export const code = async ({ body }) => ({ name: String(body?.name ?? 'stranger').trim() });",
  { body: '{{trigger.body}}' },
  byLanguage,
);

export const example = {
  displayName: 'Example: greet the caller',
  schemaVersion: '20',
  notes: [],
  trigger: titled('Catch Webhook', trigger(titled('Who calls?', who))),
};
