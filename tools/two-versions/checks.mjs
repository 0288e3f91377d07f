/** What must hold while processes of two releases work together. Each check returns a problem, or undefined. */
import { builtIn, code, trigger } from '../flow-steps.mjs';
import { pause } from '../running-processes.mjs';
import { httpRequest } from '../start/http-request.mjs';
import { differences } from './agreement.mjs';

/** @typedef {import('./mixed-service.mjs').MixedService} MixedService */
/** @typedef {Record<'plain' | 'sync' | 'wait' | 'long', string>} FlowIds */

const RUN_ENDS_WITHIN_MS = 180_000;
const SLEEP_MS = 8_000;
const WEBHOOKS = 50;
const SYNC_WEBHOOKS = 10;

const input = { number: '{{trigger.body.number}}' };
const double = (next) => code('double', 'export const code = async ({ number }) => number * 2;', input, next);
const FLOWS = {
  plain: () => trigger(double()),
  sync: () =>
    trigger(
      double(
        builtIn('answer', 'webhook', 'return_response', {
          responseType: 'json',
          fields: { status: 200, body: { doubled: '{{double}}' } },
        }),
      ),
    ),
  wait: () =>
    trigger(
      double(builtIn('ask', 'approval', 'wait_for_approval', {}, code('after', 'export const code = () => 1;', {}))),
    ),
  /** The number of the first step tells whether it ran again. An effect follows, so it is on record while the step after it sleeps. */
  long: () =>
    trigger(
      code(
        'chance',
        'export const code = () => Math.random();',
        {},
        builtIn(
          'put',
          'store',
          'put',
          { key: 'two-versions', value: 1 },
          code('slow', `export const code = async () => { await sleep(${SLEEP_MS}); return 'done'; };`, {}),
        ),
      ),
    ),
};

/** Publishes the flows by one api. @returns {Promise<FlowIds>} */
export async function publishFlows(/** @type {MixedService} */ service, url) {
  const { id: projectId } = await service.call(url, 'POST', '/projects', { displayName: 'Two versions' });
  const ids = {};
  for (const [displayName, steps] of Object.entries(FLOWS)) {
    const { id } = await service.call(url, 'POST', '/flows', { displayName, projectId });
    const request = { displayName, trigger: steps(), schemaVersion: '20', notes: [] };
    await service.call(url, 'POST', `/flows/${id}`, { type: 'IMPORT_FLOW', request });
    await service.call(url, 'POST', `/flows/${id}`, { type: 'LOCK_AND_PUBLISH', request: {} });
    ids[displayName] = id;
  }
  return /** @type {FlowIds} */ (ids);
}

async function send(gateway, flowId, number, path = '') {
  const { status, text } = await httpRequest(`${gateway}/api/v1/webhooks/${flowId}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ number }),
    timeoutMs: 120_000,
  });
  if (status !== 200) throw new Error(`A webhook was answered with ${status}: ${text}`);
  return JSON.parse(text);
}

/** Asks the api for the run until it is as wanted. Throws when it is not so in time. */
export async function runOnce(service, url, id, isSo) {
  const deadline = performance.now() + RUN_ENDS_WITHIN_MS;
  for (;;) {
    const run = await service.call(url, 'GET', `/flow-runs/${id}`);
    if (isSo(run)) return run;
    if (performance.now() > deadline)
      throw new Error(`The run ${id} stays ${run.status}: ${JSON.stringify(run.steps)}`);
    await pause(200);
  }
}

const hasEnded = ({ status }) => status !== 'RUNNING' && status !== 'PAUSED';

/** Webhooks become runs that succeed, and both apis tell the same of them. */
export async function webhooks(service, { gateway, apis, flows }) {
  const ids = await Promise.all(Array.from({ length: WEBHOOKS }, (_, n) => send(gateway, flows.plain, n)));
  for (const [number, { id }] of ids.entries()) {
    const run = await runOnce(service, apis.new, id, hasEnded);
    if (run.status !== 'SUCCEEDED' || run.steps.double.output !== number * 2)
      return `the run ${id} is ${run.status}: ${JSON.stringify(run.steps)}`;
    const other = await service.call(apis.old, 'GET', `/flow-runs/${id}`);
    const differing = differences(other, run);
    if (differing.length > 0) return `the apis differ in ${differing.join(', ')} of the run ${id}`;
  }
  return undefined;
}

/** Sync webhooks get the answer of their run. */
export async function syncAnswers(_service, { gateway, flows }) {
  for (let number = 0; number < SYNC_WEBHOOKS; number++) {
    const answer = await send(gateway, flows.sync, number, '/sync');
    if (answer.doubled !== number * 2) return `the answer was ${JSON.stringify(answer)}`;
  }
  return undefined;
}

/** Begins a run that waits for a person. @returns the run */
export async function beginWait(service, { gateway, apis, flows }) {
  const { id } = await send(gateway, flows.wait, 1);
  return runOnce(service, apis.new, id, ({ status }) => status === 'PAUSED');
}

/** The run that paused with one release is resumed by the other. */
export async function resume(service, { gateway, apis }, paused) {
  const path = `/flow-runs/${paused.id}/requests/${paused.waitingOn.requestId}/sync`;
  await service.call(gateway, 'POST', path, { approved: true });
  const run = await runOnce(service, apis.old, paused.id, hasEnded);
  return run.status === 'SUCCEEDED' && run.steps.after.output === 1 ? undefined : `the run is ${run.status}`;
}

/** Begins a run that is in its long step, with the steps before it on record. */
export async function beginLong(service, { gateway, apis, flows }) {
  const { id } = await send(gateway, flows.long, 1);
  return runOnce(service, apis.new, id, ({ steps }) => steps?.put !== undefined);
}

/** The run goes on in another worker at its last record. */
export async function goesOn(service, { apis }, begun) {
  const run = await runOnce(service, apis.new, begun.id, hasEnded);
  if (run.status !== 'SUCCEEDED') return `the run is ${run.status}: ${JSON.stringify(run.steps)}`;
  if (run.steps.chance.output !== begun.steps.chance.output) return 'a step on record was executed again';
  return undefined;
}
