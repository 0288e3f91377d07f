import type { ControlDemand, ControlEntry, ControlState, LeavingState, Standing } from '@millrace/domain';
import type { Queryable } from '../postgres/in-transaction';
import { plainArray } from '../postgres/packed-bytes';

// The statements about the rows of flow control. All those about one flow happen in transactions that hold its lock.

/** The first key of the advisory lock. It may be any number that is the same in every process. The flow is the second. */
const CONTROL_LOCK = 51_907_660;

// The lock is held for some milliseconds. A process that stands still inside its transaction loses its connection, and
// with it the lock, after the idle time.
const LOCK = `
  select set_config('lock_timeout', '2s', true), set_config('idle_in_transaction_session_timeout', '5s', true),
    pg_advisory_xact_lock($1, hashtext($2))`;

/** Locks the control of a flow until the transaction ends. */
export async function lockControl(tx: Queryable, flowId: string): Promise<void> {
  await tx.query({ name: 'lock-control', text: LOCK, values: [CONTROL_LOCK, flowId] });
}

const ENTRY = `run_id as "runId", flow_id as "flowId", state, epoch, demand, due, reason`;

const FIND = `select ${ENTRY} from flow_control_run where run_id = $1`;

export async function findEntry(tx: Queryable, runId: string): Promise<ControlEntry | null> {
  return (await tx.query<ControlEntry>({ name: 'find-control', text: FIND, values: [runId] })).rows[0] ?? null;
}

// Both limits have an index of their own, which ends each of the searches after the first row.
const HEAD = `
  select ${ENTRY} from (
    (select * from flow_control_run where state = 'waiting' and concurrency = $1 order by run_id limit 1)
    union all
    (select * from flow_control_run where state = 'waiting' and rate = $1 order by run_id limit 1)
  ) heads order by run_id limit 1`;

export async function findHead(tx: Queryable, resource: string): Promise<ControlEntry | null> {
  return (await tx.query<ControlEntry>({ name: 'head-of-line', text: HEAD, values: [resource] })).rows[0] ?? null;
}

const GATHERED = `
  select ${ENTRY} from flow_control_run where state = 'gathering' and gathers = $1 order by run_id limit $2`;

export async function findGathered(tx: Queryable, resource: string, limit: number): Promise<ControlEntry[]> {
  return (await tx.query<ControlEntry>({ name: 'gathered', text: GATHERED, values: [resource, limit] })).rows;
}

const COUNT_GATHERED = `
  select count(*)::int as count, min(due) as due from flow_control_run where state = 'gathering' and gathers = $1`;

export async function countGathered(tx: Queryable, resource: string): Promise<{ count: number; due: Date | null }> {
  const query = { name: 'count-gathered', text: COUNT_GATHERED, values: [resource] };
  return (await tx.query<{ count: number; due: Date | null }>(query)).rows[0] ?? { count: 0, due: null };
}

// No more places and starts are read than the limits ask about.
const STANDING = `
  select
    exists (select from flow_control_run where state = 'waiting' and concurrency = $2 and run_id < $1) as before_place,
    exists (select from flow_control_run where state = 'waiting' and rate = $4 and run_id < $1) as before_start,
    (select count(*) from (
      select from flow_control_run where state = 'admitted' and concurrency = $2 and run_id <> $1 limit $3) held)::int
      as holders,
    (select at from flow_control_start where resource = $4 and run_id <> $1 order by at desc offset $5 limit 1)
      as limiting_start`;

interface StandingRow {
  before_place: boolean;
  before_start: boolean;
  holders: number;
  limiting_start: Date | null;
}

export async function readStanding(
  tx: Queryable,
  runId: string,
  { concurrency, rate }: ControlDemand,
): Promise<Standing> {
  const values = [
    runId,
    concurrency?.resource ?? null,
    concurrency?.limit ?? 0,
    rate?.resource ?? null,
    (rate?.limit ?? 1) - 1,
  ];
  const [row] = (await tx.query<StandingRow>({ name: 'standing', text: STANDING, values })).rows;
  return {
    isBehind: { concurrency: row?.before_place ?? false, rate: row?.before_start ?? false },
    holders: row?.holders ?? 0,
    limitingStart: row?.limiting_start ?? null,
  };
}

// A run that keeps its state has waited since the same time.
const PUT = `
  insert into flow_control_run as kept
    (run_id, flow_id, state, epoch, demand, due, reason, concurrency, rate, gathers, since)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now())
  on conflict (run_id) do update
    set state = excluded.state, epoch = excluded.epoch, demand = excluded.demand, due = excluded.due,
      reason = excluded.reason, concurrency = excluded.concurrency, rate = excluded.rate, gathers = excluded.gathers,
      since = case when kept.state = excluded.state then kept.since else excluded.since end`;

export async function putEntry(tx: Queryable, entry: ControlEntry): Promise<void> {
  const { runId, flowId, state, epoch, demand, due, reason } = entry;
  const { concurrency, rate, debounce, batch } = demand;
  const resources = [concurrency, rate, debounce ?? batch].map((part) => part?.resource ?? null);
  const values = [runId, flowId, state, epoch, JSON.stringify(demand), due, reason, ...resources];
  await tx.query({ name: 'put-control', text: PUT, values });
}

const REMOVE = 'delete from flow_control_run where run_id = any($1::uuid[])';

export async function removeEntries(tx: Queryable, runIds: readonly string[]): Promise<void> {
  await tx.query({ name: 'remove-control', text: REMOVE, values: [plainArray(runIds)] });
}

const COUNT_START = `
  insert into flow_control_start (resource, run_id, at, expires)
  values ($1, $2, $3, $3::timestamptz + $4::float8 * interval '1 millisecond')
  on conflict (resource, run_id) do update set at = excluded.at, expires = excluded.expires`;

export async function writeStart(
  tx: Queryable,
  start: { resource: string; runId: string; at: Date; windowMs: number },
): Promise<void> {
  const { resource, runId, at, windowMs } = start;
  await tx.query({ name: 'count-start', text: COUNT_START, values: [resource, runId, at, windowMs] });
}

const FIRST_NEAR = `
  select run_id as "runId", came from flow_control_first
  where resource = $1 and came > $2::timestamptz - $3::float8 * interval '1 millisecond'
    and came < $2::timestamptz + $3::float8 * interval '1 millisecond'
  order by came, run_id limit 1`;

export async function findFirstNear(
  tx: Queryable,
  { resource, came, windowMs }: { resource: string; came: Date; windowMs: number },
): Promise<{ runId: string; came: Date } | null> {
  const query = { name: 'first-near', text: FIRST_NEAR, values: [resource, came, windowMs] };
  return (await tx.query<{ runId: string; came: Date }>(query)).rows[0] ?? null;
}

const ADD_FIRST = `
  insert into flow_control_first (resource, came, run_id, expires) values ($1, $2, $3, $4) on conflict do nothing`;

export async function insertFirst(
  tx: Queryable,
  first: { resource: string; came: Date; runId: string; expires: Date },
): Promise<void> {
  const { resource, came, runId, expires } = first;
  await tx.query({ name: 'add-first', text: ADD_FIRST, values: [resource, came, runId, expires] });
}

export interface ControlledFlowRun {
  runId: string;
  flowId: string;
  state: ControlState;
}

const DUE = `
  select run_id as "runId", flow_id as "flowId", state from flow_control_run
  where due <= now() and flow_id <> all($2::uuid[]) order by due limit $1`;

export async function findDue(
  db: Queryable,
  limit: number,
  withoutFlows: readonly string[],
): Promise<ControlledFlowRun[]> {
  const query = { name: 'due-controls', text: DUE, values: [limit, plainArray(withoutFlows)] };
  return (await db.query<ControlledFlowRun>(query)).rows;
}

// Each state has an index of its own. The state is no parameter, so that a plan for any values uses it.
const inState = (state: LeavingState): string => `
  select run_id as "runId", flow_id as "flowId", state from flow_control_run
  where run_id > $1 and state = '${state}' order by run_id limit $2`;

const IN_STATE = { admitted: inState('admitted'), paused: inState('paused') };

export async function findInState(
  db: Queryable,
  state: LeavingState,
  afterId: string,
  limit: number,
): Promise<ControlledFlowRun[]> {
  const query = { name: `${state}-controls`, text: IN_STATE[state], values: [afterId, limit] };
  return (await db.query<ControlledFlowRun>(query)).rows;
}

const FORGET_STARTS = `
  delete from flow_control_start where (resource, run_id) in (
    select resource, run_id from flow_control_start where expires < now() order by expires limit $1)`;
const FORGET_FIRSTS = `
  delete from flow_control_first where (resource, came, run_id) in (
    select resource, came, run_id from flow_control_first where expires < now() order by expires limit $1)`;

export async function deleteExpired(db: Queryable, limit: number): Promise<number> {
  const starts = await db.query({ name: 'forget-starts', text: FORGET_STARTS, values: [limit] });
  const firsts = await db.query({ name: 'forget-firsts', text: FORGET_FIRSTS, values: [limit] });
  return (starts.rowCount ?? 0) + (firsts.rowCount ?? 0);
}
