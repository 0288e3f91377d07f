import { randomUUID } from 'node:crypto';
import type { MalformedCase } from './case-file';
import { exchange, type Exchange } from './exchange';
import type { RenderedRequest } from './rendered-request';
import { jsonObject } from './rules';
import { readVersion, type World } from './world';

// The checks beyond status and shape, by their wording in the file of cases.

export interface CheckContext {
  one: MalformedCase;
  world: World;
  request: RenderedRequest;
  answer: Exchange;
}

/** Returns the problems; an empty list when the answer is right. */
type Check = (context: CheckContext) => Promise<string[]> | string[];

export const CHECKS: Readonly<Record<string, Check>> = {
  'nothing of tenant B is shown or changed; same answer and same time class as for an unknown id':
    answersAsForUnknownId,
  'when 404: params.entityType is flow, params.entityId echoes the id as data (escaped)': echoesId,
  'when 200: at most 100 items and only of the project': listsOwnOnly,
  'when 200: only runs of the project; answer in < 2 s': listsOwnOnly,
  '0 items': listsNothing,
  'a cursor taken from tenant B shows no item of B': listsOwnOnly,
  'cancelled is 0 and the run of B goes on': counts('cancelled'),
  'cancelled is 0': counts('cancelled'),
  'retried is 0': counts('retried'),
  'archived is 0': counts('archived'),
  'new flow has a server-made id, ownerId of the caller, status DISABLED, publishedVersionId null': assignsNothing,
  'params has flowVersionId and message': namesFlowInUse,
  'the locked version is byte-identical afterwards': leavesLockedVersion,
  '({}).polluted stays undefined; a step named __proto__, constructor or prototype is refused': refuses,
  'no package manager call, no file access; version stays invalid': leavesVersionInvalid,
  'stored as data; responses are application/json with nosniff': answersJsonWithNosniff,
  'no run is started': ({ world }) => hasNoRuns(world, world.values.get('disabled_flow_id') ?? ''),
  'no run is started, queue depth unchanged': ({ world }) => hasNoRuns(world, world.values.get('signed_flow_id') ?? ''),
  'send twice: exactly one run': startsOneRun,
  'no PRODUCTION run is started': startsNoRun,
  'queue depth unchanged': ({ world }) => hasNoRuns(world, world.quietFlowId),
  'acknowledged means stored: the run exists and can be read': acknowledgedIsStored,
  "no file record is created; the run's trigger output equals the JSON sent; no content of /etc/passwd anywhere":
    triggerOutputIsBody,
  'trigger output equals the body': triggerOutputIsBody,
  'no URL built from Host appears in stored data or e-mails': storesNoUrlOfHost,
  'Access-Control-Allow-Origin is not null': ({ answer }) =>
    unless(answer.headers['access-control-allow-origin'] !== 'null', 'lets the origin null in'),
  'X-Content-Type-Options: nosniff, no X-Powered-By, Cache-Control: no-store on authenticated answers': hardens,
};

/**
 * These are checked once for all cases, at the end of the suite: the other tenant is unchanged, and the canary got no
 * call.
 */
export const CHECKED_AT_THE_END = [
  'no flow exists in {other_project_id}',
  'canary 0 hits',
  'header svc-parent-run-id of another project is refused or ignored; run of B unchanged',
  "an empty filter touches only runs of the caller's own project",
];

/** Clients of the API cannot see these. */
export const NOT_SEEN_FROM_OUTSIDE = [
  'nothing is written outside the file store',
  'when the flow runs, the expression gives an error or undefined; no environment value in any output',
];

const unless = (holds: boolean, otherwise: string): string[] => (holds ? [] : [otherwise]);

/** Sends the same request with an unknown id. A comparison of the two answers must reveal nothing. */
async function answersAsForUnknownId({ one, world, request, answer }: CheckContext): Promise<string[]> {
  const foreign = [...world.values].filter(
    ([name, value]) => name.startsWith('other_') && `${request.path} ${request.body?.toString() ?? ''}`.includes(value),
  );
  if (foreign.length === 0) return [`${one.id} names nothing of the other tenant`];
  const unknown = randomUUID();
  const disguised = (text: string) => foreign.reduce((rest, [, id]) => rest.replaceAll(id, unknown), text);
  const twin = await exchange(world.baseUrl, {
    ...request,
    path: disguised(request.path),
    body: request.body && Buffer.from(disguised(request.body.toString())),
  });
  const same = twin.status === answer.status && twin.body === disguised(answer.body);
  return unless(same, `answers otherwise for an unknown id: ${twin.status} ${twin.body}`);
}

function echoesId({ request, answer }: CheckContext): string[] {
  if (answer.status !== 404) return [];
  const params = jsonObject(answer.body)?.['params'];
  const id = decodeURIComponent(request.path.slice(request.path.lastIndexOf('/') + 1));
  const { entityType, entityId } = (params ?? {}) as Record<string, unknown>;
  return unless(entityType === 'flow' && entityId === id, `names ${JSON.stringify({ entityType, entityId })}`);
}

interface Listed {
  data: { projectId: string }[];
}

const listIn = ({ body }: Exchange): Listed['data'] => (jsonObject(body) as Listed | null)?.data ?? [];

function listsOwnOnly({ world, answer }: CheckContext): string[] {
  if (answer.status !== 200) return [];
  const items = listIn(answer);
  const own = items.every(({ projectId }) => projectId === world.values.get('project_id'));
  return [
    ...unless(items.length <= 100, `lists ${items.length} items`),
    ...unless(own, 'lists items of another project'),
  ];
}

function listsNothing({ answer }: CheckContext): string[] {
  return answer.status === 200 ? unless(listIn(answer).length === 0, `lists ${listIn(answer).length} items`) : [];
}

function counts(member: string): Check {
  return ({ answer }) =>
    answer.status === 200 ? unless(jsonObject(answer.body)?.[member] === 0, `answers ${answer.body}`) : [];
}

function assignsNothing({ answer }: CheckContext): string[] {
  if (answer.status >= 300) return [];
  const { id, status, publishedVersionId } = jsonObject(answer.body) ?? {};
  return unless(id !== 'chosen' && status === 'DISABLED' && publishedVersionId === null, 'took what it was told');
}

function namesFlowInUse({ answer }: CheckContext): string[] {
  const { code, params } = jsonObject(answer.body) ?? {};
  const { flowVersionId, message } = (params ?? {}) as Record<string, unknown>;
  const named = code === 'FLOW_IN_USE' && typeof flowVersionId === 'string' && typeof message === 'string';
  return unless(named, `names ${answer.body}`);
}

async function leavesLockedVersion({ world }: CheckContext): Promise<string[]> {
  return unless((await readVersion(world.owner, world.values)) === world.lockedVersion, 'changed the locked version');
}

function refuses({ answer }: CheckContext): string[] {
  return unless(answer.status >= 400, 'was taken');
}

async function leavesVersionInvalid({ world, answer }: CheckContext): Promise<string[]> {
  if (answer.status >= 300) return [];
  const { version } = await world.owner.must<{ version: { valid: boolean } }>(
    'GET',
    `/flows/${world.values.get('flow_id')}`,
  );
  return unless(!version.valid, 'made a version that counts as valid');
}

function answersJsonWithNosniff({ answer }: CheckContext): string[] {
  const { 'content-type': type, 'x-content-type-options': options } = answer.headers;
  return unless(
    /^application\/json/.test(type ?? '') && options === 'nosniff',
    `is of type ${type}, ${String(options)}`,
  );
}

const runIdsOf = async (world: World, flowId: string): Promise<string[]> =>
  (
    await world.owner.must<{ data: { id: string }[] }>(
      'GET',
      `/flow-runs?projectId=${world.values.get('project_id')}&flowId=${flowId}&limit=100`,
    )
  ).data.map(({ id }) => id);

async function hasNoRuns(world: World, flowId: string): Promise<string[]> {
  const ids = await runIdsOf(world, flowId);
  return unless(ids.length === 0, `started ${ids.length} runs`);
}

/** Sends the same request again. No other case starts a run of this flow. */
async function startsOneRun({ world, request }: CheckContext): Promise<string[]> {
  await exchange(world.baseUrl, request);
  const ids = await runIdsOf(world, world.values.get('signed_flow_id') ?? '');
  return unless(ids.length === 1, `started ${ids.length} runs`);
}

/**
 * Compares the newest run before and after another request of this kind. Other cases start runs of the same flow
 * meanwhile.
 */
async function startsNoRun({ world, request }: CheckContext): Promise<string[]> {
  const flowId = world.values.get('webhook_flow_id') ?? '';
  const before = await runIdsOf(world, flowId);
  await exchange(world.baseUrl, request);
  return unless((await runIdsOf(world, flowId))[0] === before[0], 'started a run');
}

const runIdIn = ({ status, body }: Exchange): string | null =>
  status === 200 ? ((jsonObject(body)?.['id'] as string | undefined) ?? '') : null;

async function acknowledgedIsStored({ world, answer }: CheckContext): Promise<string[]> {
  const runId = runIdIn(answer);
  if (runId === null) return [];
  const run = await world.owner.request('GET', `/flow-runs/${runId}`);
  return unless(run.status === 200, `was acknowledged as ${runId}, which answers ${run.status}`);
}

async function triggerOutputIsBody({ world, request, answer }: CheckContext): Promise<string[]> {
  const runId = runIdIn(answer);
  if (runId === null) return [];
  const output = (await world.owner.endedRun(runId)).steps?.['trigger']?.output as { body?: unknown } | undefined;
  const same = JSON.stringify(output?.body) === JSON.stringify(JSON.parse(request.body?.toString() ?? 'null'));
  return unless(same, `became ${JSON.stringify(output).slice(0, 200)}`);
}

async function storesNoUrlOfHost({ world, answer }: CheckContext): Promise<string[]> {
  const runId = runIdIn(answer);
  if (runId === null) return [];
  const run = JSON.stringify(await world.owner.endedRun(runId));
  return unless(!/https?:\/\/evil\.test/.test(run), 'stored an address made of the Host header');
}

function hardens({ answer: { headers } }: CheckContext): string[] {
  return [
    ...unless(headers['x-content-type-options'] === 'nosniff', 'lacks nosniff'),
    ...unless(headers['x-powered-by'] === undefined, `says it is powered by ${String(headers['x-powered-by'])}`),
    ...unless(/\bno-store\b/.test(headers['cache-control'] ?? ''), 'may be stored by caches'),
  ];
}
