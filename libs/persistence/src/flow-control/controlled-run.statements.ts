import {
  isWebhook,
  joinedTexts,
  payloadText,
  shownText,
  type ControlEnding,
  type FlowRunStatus,
  type StoredText,
} from '@millrace/domain';
import { EVENT_COLUMNS, insertRunEventsOf, kindOfEnding, kindsIf } from '../event-destinations/run-event.statements';
import { idRange, inIdRange } from '../postgres/id-range';
import type { Queryable } from '../postgres/in-transaction';
import { plainArray } from '../postgres/packed-bytes';
import { encodeJson } from '../postgres/stored-json';
import { decodePayload, encodePayload } from '../postgres/stored-payload';
import { insertTagsOf } from '../runs/run-tag.statements';

// The statements by which flow control reads and changes runs that no worker executes.

const STATUSES = `select id, status from flow_run where id = any($1::uuid[]) and ${inIdRange('id', 2)}`;

/** The statuses by run. Unknown runs are absent. */
export async function readStatuses(db: Queryable, runIds: readonly string[]): Promise<Map<string, FlowRunStatus>> {
  const query = { name: 'control-statuses', text: STATUSES, values: [plainArray(runIds), ...idRange(runIds)] };
  const { rows } = await db.query<{ id: string; status: FlowRunStatus }>(query);
  return new Map(rows.map(({ id, status }) => [id, status]));
}

const IS_RETRY = 'select retry_of_run_id is not null as is_retry from flow_run where id = $1';

export async function isRetry(tx: Queryable, runId: string): Promise<boolean> {
  const query = { name: 'control-is-retry', text: IS_RETRY, values: [runId] };
  return (await tx.query<{ is_retry: boolean }>(query)).rows[0]?.is_retry ?? false;
}

const HAS_BEGUN = 'select start_time is not null as has_begun from flow_run where id = $1';

export async function hasBegun(tx: Queryable, runId: string): Promise<boolean> {
  const query = { name: 'control-has-begun', text: HAS_BEGUN, values: [runId] };
  return (await tx.query<{ has_begun: boolean }>(query)).rows[0]?.has_begun ?? false;
}

export interface WokenRun {
  id: string;
  projectId: string;
  flowVersionId: string;
}

// A run that has executed no step begins only now. It has a start when its worker died and another one claimed it to
// load it.
const WAKE = `
  update flow_run set job_id = $2, updated = now(),
    start_time = case when steps_count > 0 or paused_at is not null then start_time end,
    time_counts_from = case when steps_count > 0 or paused_at is not null then time_counts_from end
  where id = $1 and status = 'RUNNING'
  returning id, project_id as "projectId", flow_version_id as "flowVersionId"`;

/** Notes the job that will carry the run. Null when the run is not RUNNING. */
export async function assignNewJob(tx: Queryable, runId: string, jobId: string): Promise<WokenRun | null> {
  const query = { name: 'control-wake', text: WAKE, values: [runId, jobId] };
  return (await tx.query<WokenRun>(query)).rows[0] ?? null;
}

export interface EndedRow {
  id: string;
  projectId: string;
  parentRunId: string | null;
  isAwaited: boolean;
}

const END = `
  with ended as (
    update flow_run run
    set status = $2, status_reason = $3, finish_time = clock_timestamp(), paused_at = null, updated = now()
    where id = any($1::uuid[]) and status = 'RUNNING' and ${inIdRange('id', 4)}
    returning run.id, run.is_awaited, ${EVENT_COLUMNS}, ${kindsIf([kindOfEnding('run.status'), 'true'])} as kinds
  ), reported as (${insertRunEventsOf('ended')}), tagged as (${insertTagsOf('ended')})
  select id, project_id as "projectId", parent_run_id as "parentRunId", is_awaited as "isAwaited" from ended`;

const KEEP_RESPONSE = `
  insert into run_response (run_id, response, created) select id, $2, now() from unnest($1::uuid[]) as asked (id)
  on conflict do nothing`;

/**
 * Ends runs that have not ended, with their tags as lists search them. The answer to their senders is stored too, because
 * no journal has it.
 */
export async function endHeldRuns(
  tx: Queryable,
  runIds: readonly string[],
  { status, reason, response }: ControlEnding,
): Promise<EndedRow[]> {
  const query = { name: 'control-end', text: END, values: [plainArray(runIds), status, reason, ...idRange(runIds)] };
  const { rows } = await tx.query<EndedRow>(query);
  const awaited = rows.filter(({ isAwaited }) => isAwaited).map(({ id }) => id);
  if (awaited.length > 0) {
    const values = [plainArray(awaited), await encodeJson(JSON.stringify(response))];
    await tx.query({ name: 'control-keep-response', text: KEEP_RESPONSE, values });
  }
  return rows;
}

/** The payloads of a batch together have at most as many characters as the body of one webhook. */
const MOST_CHARACTERS = 25 * 1024 * 1024;

const LOCK_MEMBERS = `
  select id from flow_run where id = any($1::uuid[]) and status = 'RUNNING' and ${inIdRange('id', 2)}
  order by id for no key update`;
const READ_PAYLOAD = 'select payload from flow_run where id = $1';
const WRITE_PAYLOAD = 'update flow_run set payload = $2, updated = now() where id = $1';

/** Does what ControlLedger.join says. The payloads are read one after another, because each may be large. */
export async function joinPayloads(tx: Queryable, runIds: readonly string[]): Promise<string[]> {
  if (runIds.length === 0) return [];
  const members = { name: 'control-members', text: LOCK_MEMBERS, values: [plainArray(runIds), ...idRange(runIds)] };
  const alive = (await tx.query<{ id: string }>(members)).rows.map(({ id }) => id);
  const texts: StoredText[] = [];
  let characters = 0;
  for (const id of alive) {
    const query = { name: 'control-payload', text: READ_PAYLOAD, values: [id] };
    const bytes = (await tx.query<{ payload: Buffer | null }>(query)).rows[0]?.payload;
    const payload = bytes ? await decodePayload(bytes) : 'null';
    const text = isWebhook(payload) ? payloadText(payload) : payload;
    characters += shownText(text).length + 1;
    if (texts.length > 0 && characters > MOST_CHARACTERS) break;
    texts.push(text);
  }
  const [first] = alive;
  if (first === undefined) return [];
  const values = [first, await encodePayload(joinedTexts(texts))];
  await tx.query({ name: 'control-write-payload', text: WRITE_PAYLOAD, values });
  return alive.slice(0, texts.length);
}
