import type { FlowRunStatus } from '@millrace/domain';
import { idRange, inIdRange } from '../postgres/id-range';
import type { Queryable } from '../postgres/in-transaction';
import { plainArray } from '../postgres/packed-bytes';
import { encodeEnding } from './run-wait.statements';

export interface DueWait {
  run_id: string;
  request_id: string;
  /** The run ends when this wait is due. */
  ends_run: boolean;
}

const FIND_DUE = `
  select run_id, request_id, ends_run from run_request
  where ended_at is null and due <= now() order by due limit $1`;

export async function findDueWaits(tx: Queryable, limit: number): Promise<DueWait[]> {
  return (await tx.query<DueWait>({ name: 'find-due-waits', text: FIND_DUE, values: [limit] })).rows;
}

const LOCK_FREE_RUNS = `
  select id, status from flow_run where id = any($1::uuid[]) and ${inIdRange('id', 2)}
  order by id for update skip locked`;

/** Locks the runs that no other transaction has locked, until this one ends, and returns their statuses by id. */
export async function lockFreeRuns(tx: Queryable, runIds: readonly string[]): Promise<Map<string, FlowRunStatus>> {
  const query = { name: 'lock-free-runs', text: LOCK_FREE_RUNS, values: [plainArray(runIds), ...idRange(runIds)] };
  const { rows } = await tx.query<{ id: string; status: FlowRunStatus }>(query);
  return new Map(rows.map(({ id, status }) => [id, status]));
}

// A run that executes does not time out by a wait: the wait becomes due again a minute later, when the run may be
// paused. A wait that its run left open at its end is closed without an ending.
const END_DUE = `
  update run_request request
  set ended_at = case when status = 'RUNNING' and request.ends_run then null else now() end,
      due = case when status = 'RUNNING' and request.ends_run then now() + interval '1 minute' else request.due end,
      ending = case when request.ends_run or status not in ('RUNNING', 'PAUSED') then null
                    when request.kind = 'timer' then $4::bytea else $5::bytea end
  from unnest($1::uuid[], $2::text[], $3::text[]) as d (run_id, request_id, status)
  where request.run_id = d.run_id and request.request_id = d.request_id
    and request.ended_at is null and request.due <= now()
  returning request.run_id, request.request_id, request.ends_run`;

/** Ends the waits whose run is locked (it has a status). Returns those that were still open and due. */
export async function endDueWaits(
  tx: Queryable,
  due: readonly DueWait[],
  statuses: ReadonlyMap<string, FlowRunStatus>,
): Promise<DueWait[]> {
  const held = due.filter(({ run_id }) => statuses.has(run_id));
  if (held.length === 0) return [];
  const values = [
    plainArray(held.map(({ run_id }) => run_id)),
    held.map(({ request_id }) => request_id),
    plainArray(held.map(({ run_id }) => statuses.get(run_id) as FlowRunStatus)),
    await encodeEnding({ kind: 'timer', resumedAt: new Date().toISOString() }),
    await encodeEnding({ kind: 'unanswered' }),
  ];
  return (await tx.query<DueWait>({ name: 'end-due-waits', text: END_DUE, values })).rows;
}
