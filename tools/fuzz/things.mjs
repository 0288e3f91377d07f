/** The entities of the fuzzer's two tenants. They are made again and again, because fuzzing deletes them. */
import { randomUUID } from 'node:crypto';

/** How many ids of a kind are kept. The oldest are dropped, because their entities may be deleted by now. */
const REMEMBERED = 30;

export class Things {
  #own = new Map();
  #foreign = new Map();

  remember(kind, id, isForeign = false) {
    const known = isForeign ? this.#foreign : this.#own;
    known.set(kind, [...(known.get(kind) ?? []), id].slice(-REMEMBERED));
  }

  pick(kind, chance) {
    const ids = this.#own.get(kind) ?? [];
    return ids.length > 0 ? chance.pick(ids) : undefined;
  }

  pickForeign(kind, chance) {
    const ids = this.#foreign.get(kind) ?? [];
    return ids.length > 0 ? chance.pick(ids) : undefined;
  }
}

const code = (name, nextAction) => ({
  name,
  displayName: name,
  type: 'CODE',
  valid: true,
  settings: { sourceCode: { code: 'export const code = async (inputs) => inputs;', packageJson: '{}' }, input: {} },
  nextAction,
});

const loop = (name, firstLoopAction, nextAction) => ({
  name,
  displayName: name,
  type: 'LOOP_ON_ITEMS',
  valid: true,
  settings: { items: '{{[1, 2]}}' },
  firstLoopAction,
  nextAction,
});

const router = (name, children) => ({
  name,
  displayName: name,
  type: 'ROUTER',
  valid: true,
  settings: {
    executionType: 'EXECUTE_FIRST_MATCH',
    branches: [
      { branchType: 'CONDITION', branchName: 'One', conditions: [[{ firstValue: 'a', operator: 'EXISTS' }]] },
      { branchType: 'FALLBACK', branchName: 'Otherwise' },
    ],
  },
  children,
});

const STEPS = ['trigger', 'step_1', 'loop', 'inside', 'router', 'left'];
const TRIGGER = {
  name: 'trigger',
  displayName: 'Catch Webhook',
  type: 'PIECE_TRIGGER',
  valid: true,
  settings: {
    pieceName: 'webhook',
    pieceVersion: '0.1.0',
    triggerName: 'catch_webhook',
    input: {},
    propertySettings: {},
  },
  nextAction: code('step_1', loop('loop', code('inside'), router('router', [code('left'), null]))),
};

/** Makes two projects with a key each, and an entity of every kind in both. */
export async function prepareThings(call, adminKey) {
  const admin = (method, path, body) => mustCall(call, adminKey, method, path, body);
  const word = `foreign${randomUUID().replaceAll('-', '')}`;
  const things = new Things();
  for (const step of [...STEPS, 'no_such_step']) things.remember('steps', step);
  const own = await makeTenant(admin, 'Fuzzed');
  const foreign = await makeTenant(admin, word);
  things.remember('projects', own.projectId);
  things.remember('projects', foreign.projectId, true);
  const refresh = async () => {
    await makeThings(
      (method, path, body) => call({ method, path, key: own.key, body }),
      own.projectId,
      'Fuzzed',
      (kind, id) => things.remember(kind, id),
    );
  };
  await refresh();
  await makeThings(
    (method, path, body) => call({ method, path, key: foreign.key, body }),
    foreign.projectId,
    word,
    (kind, id) => things.remember(kind, id, true),
  );
  return { things, refresh, word, keys: { owner: own.key, other: foreign.key, admin: adminKey } };
}

async function mustCall(call, key, method, path, body) {
  const answer = await call({ method, path, key, body });
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
  return JSON.parse(answer.text);
}

async function makeTenant(admin, displayName) {
  const { id: projectId } = await admin('POST', '/api/v1/projects', { displayName });
  const { value: key } = await admin('POST', '/api/v1/api-keys', { displayName, projectId });
  return { projectId, key };
}

/**
 * Makes a folder, a template, and a flow that is published, edited and run. An entity that the service refuses, for
 * example because of a limit, is left out this time.
 */
async function makeThings(call, projectId, displayName, remember) {
  const make = async (kind, method, path, body) => {
    const answer = await call(method, path, body);
    const id = answer.status < 300 ? JSON.parse(answer.text).id : undefined;
    if (id) remember(kind, id);
    return id;
  };
  await make('folders', 'POST', '/api/v1/folders', { projectId, displayName: `${displayName} ${randomUUID()}` });
  const flowId = await make('flows', 'POST', '/api/v1/flows', { projectId, displayName });
  const definition = { displayName, trigger: TRIGGER, schemaVersion: '20', notes: [] };
  for (const [type, request] of [
    ['IMPORT_FLOW', definition],
    ['LOCK_AND_PUBLISH', {}],
    ['ADD_NOTE', { content: displayName }],
    ['CHANGE_NAME', { displayName }],
  ])
    rememberVersion(await call('POST', `/api/v1/flows/${flowId}`, { type, request }), remember);
  await make('flows', 'POST', '/api/v1/flows', { projectId, displayName });
  await make('templates', 'POST', '/api/v1/templates', {
    projectId,
    name: displayName,
    description: '',
    template: definition,
  });
  await make('runs', 'POST', `/api/v1/webhooks/${flowId}`, {});
  for (const list of ['flows', 'flow-runs'])
    rememberCursor(await call('GET', `/api/v1/${list}?projectId=${projectId}&limit=1`), remember);
}

function rememberVersion({ status, text }, remember) {
  if (status >= 300) return;
  const { version } = JSON.parse(text);
  remember('versions', version.id);
  for (const { id } of version.notes ?? []) remember('notes', id);
}

function rememberCursor({ status, text }, remember) {
  const next = status < 300 ? JSON.parse(text).next : undefined;
  if (next) remember('cursors', next);
}
