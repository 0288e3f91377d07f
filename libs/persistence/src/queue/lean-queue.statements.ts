import { inIdRange } from '../postgres/id-range';
import { LOADED_COLUMNS, type StoredRun } from './loaded-run';

// Statements on BullMQ's own tables. They serve jobs without parents, deduplication, an initial delay and a return
// value.

/** The schema of BullMQ's tables. Statements name it, because the hot pool's connections do not search it. */
export const QUEUE_SCHEMA = 'bullmq';
/** The channel on which BullMQ announces new jobs; the payload is the queue's name. */
export const JOBS_CHANNEL = 'bullmq_jobs';

// BullMQ writes five events per job. Each is an insert and a notification that wakes every listening process, and this
// service reads none of them. BullMQ has no setting to turn them off. The advisory lock lets processes that start at
// the same time replace the function one after the other.
const WRITE_NO_EVENTS = `
do $do$
begin
  perform pg_advisory_xact_lock(hashtext('millrace:publish_event'));
  if (select prosrc from pg_proc where oid = 'publish_event(text, text, jsonb)'::regprocedure) <> 'select 0::bigint' then
    create or replace function publish_event(p_queue text, p_event text, p_data jsonb) returns bigint
      language sql immutable as 'select 0::bigint';
  end if;
end $do$`;

/** Turns BullMQ's events off. BullMQ's schema must exist, so the queue must be ready. */
export async function writeNoEvents(pool: Queries): Promise<void> {
  await pool.query(WRITE_NO_EVENTS);
}

/** BullMQ's pool. */
export interface Queries {
  query<Row>(query: string | NamedQuery, values?: readonly unknown[]): Promise<{ rows: Row[] }>;
}

interface NamedQuery {
  name: string;
  text: string;
  values: unknown[];
}

export interface AddedJob {
  id: string;
  name: string;
  data: string;
  opts: string;
  priority: number;
  attempts: number;
  timestamp: number;
}

/** The part of a statement that adds jobs. Its parameters are those of `valuesOfJobs`, numbered from `first`. */
export const addingJobs = (first: number): string => `
    insert into ${QUEUE_SCHEMA}.job (queue, id, seq, name, state, data, opts, priority, max_attempts, added_at_ms)
    select $${first}, id, nextval('${QUEUE_SCHEMA}.job_seq'), name, 'waiting', data::jsonb, opts::jsonb, priority, attempts, added_at
    from unnest($${first + 1}::text[], $${first + 2}::text[], $${first + 3}::text[], $${first + 4}::text[],
                $${first + 5}::int[], $${first + 6}::int[], $${first + 7}::bigint[])
      as asked (id, name, data, opts, priority, attempts, added_at)
    on conflict (queue, id) do nothing
    returning id`;

export const valuesOfJobs = (queue: string, jobs: readonly AddedJob[]): unknown[] => [
  queue,
  jobs.map(({ id }) => id),
  jobs.map(({ name }) => name),
  jobs.map(({ data }) => data),
  jobs.map(({ opts }) => opts),
  jobs.map(({ priority }) => priority),
  jobs.map(({ attempts }) => attempts),
  jobs.map(({ timestamp }) => timestamp),
];

const ADD = `
  with added as (${addingJobs(1)})
  select pg_notify('${JOBS_CHANNEL}', $1) from (select from added limit 1) as any_added`;

/** Adds jobs by one statement with one notification. A job whose id exists already stays as it is. */
export async function addJobs(db: Queries, queue: string, jobs: readonly AddedJob[]): Promise<void> {
  await db.query(ADD, valuesOfJobs(queue, jobs));
}

export interface Completion {
  jobId: string;
  token: string;
  finishedOn: number;
}

// Plans are made once, perhaps while the table is still empty and all indexes look equal to the planner. So each part
// of a statement either names its rows by their ids, or asks for them in the order of the index that it must use.

// A job whose lock is lost may belong to another worker, so it is not completed. The state is compared as text to keep
// PostgreSQL from using the index of active jobs, which is long until a vacuum removes its dead entries.
const completeStatement = (first: number) => `
  update ${QUEUE_SCHEMA}.job
  set state = 'completed', return_value = 'null', finished_at_ms = held.finished_on, lock_token = null,
      locked_until_ms = null, attempts_made = attempts_made + 1
  from unnest($${first}::text[], $${first + 1}::text[], $${first + 2}::bigint[]) as held (id, token, finished_on)
  where job.queue = $1 and job.id = any($${first}::text[]) and job.id = held.id and job.state::text = 'active' and job.lock_token = held.token`;

const COMPLETE = completeStatement(2);

export async function completeJobs(db: Queries, queue: string, completions: readonly Completion[]): Promise<void> {
  await db.query(COMPLETE, [queue, ...columnsOf(completions)]);
}

const columnsOf = (completions: readonly Completion[]): unknown[] => [
  completions.map(({ jobId }) => jobId),
  completions.map(({ token }) => token),
  completions.map(({ finishedOn }) => finishedOn),
];

/** A job's row. The driver returns numbers of 64 bits as text. */
export interface JobRow {
  id: string;
  name: string;
  data: string;
  opts: Record<string, unknown> | null;
  attempts_made: number;
  attempts_started: number;
  processed_at_ms: string | null;
  added_at_ms: string;
  delay_ms: string;
  priority: number;
  failed_reason: string | null;
  stacktrace: string[] | null;
  deferred_failure: string | null;
  processed_by: string | null;
  stalled_count: number;
}

export interface Claimed {
  job: JobRow | null;
  /** The runs of the job that the statement loaded; empty when no runs were asked for. */
  runs: StoredRun[];
  /** More jobs wait, as far as the statement saw. */
  more: boolean;
  /** The time at which the next delayed job becomes due, in epoch milliseconds; 0 when no job is delayed. */
  nextDelay: number;
  /** No job was claimed because the queue is paused or limited, or a retry is due. BullMQ's own claim handles that. */
  isBullMqs: boolean;
}

const JOB_COLUMNS = `
  next.id, next.name, next.data::text as data, next.opts, next.attempts_made, next.attempts_started,
  next.processed_at_ms, next.added_at_ms, next.delay_ms, next.priority, next.failed_reason, next.stacktrace,
  next.deferred_failure, next.processed_by, next.stalled_count`;

// Claims a job as BullMQ's own function does. The claim may be lost in a crash (synchronous_commit is off), because the
// rows of the runs tell what has to be executed.
const claimStatement = (moreColumns = '', moreRows = ''): string => `
  with completed as (${completeStatement(6)}), retry as materialized (
    select process_at_ms as due_ms from ${QUEUE_SCHEMA}.job where queue = $1 and state = 'delayed'
    order by process_at_ms limit 1
  ), free as materialized (
    select where not exists (select from ${QUEUE_SCHEMA}.meta
                             where queue = $1 and field in ('concurrency', 'max', 'paused') and (field, value) <> ('paused', '0'))
             and not exists (select from retry where due_ms <= $4)
  ), first as materialized (
    select id from ${QUEUE_SCHEMA}.job where queue = $1 and state = 'waiting' and exists (select from free)
    order by priority, seq limit 1 for update skip locked
  ), claimed as (
    update ${QUEUE_SCHEMA}.job
    set state = 'active', lock_token = $2, locked_until_ms = $4::bigint + $3::bigint, processed_at_ms = $4,
        processed_by = $5, attempts_started = attempts_started + 1
    where queue = $1 and id = (select id from first)
    returning job.*
  )
  select ${JOB_COLUMNS},
         next.id is not null and exists (
           select from (select id from ${QUEUE_SCHEMA}.job where queue = $1 and state = 'waiting'
                        order by priority, seq limit 2) as waiting
           where waiting.id <> next.id) as more,
         (select due_ms from retry) as next_delay, not exists (select from free) as is_bullmqs,
         set_config('synchronous_commit', 'off', true)${moreColumns}
  from (select) as always left join claimed as next on true${moreRows}`;

const CLAIM = claimStatement();

// The range of ids leaves out the partitions of other months. The caller checks the status, because a condition on it
// would let PostgreSQL use the index of unfinished runs, which is long. "offset 0" makes it look each run up by its id.
const CLAIM_WITH_RUNS = claimStatement(
  `, run.*`,
  `
  left join lateral (
    select loaded.*
    from (select (each ->> 'runId')::uuid as id from jsonb_array_elements(next.data -> 'runs') as each
          where jsonb_array_length(next.data -> 'runs') <= $11) as asked
    cross join lateral (
      select ${LOADED_COLUMNS.map(([name, value]) => `${value} as run_${name}`).join(', ')}
      from flow_run
      where id = asked.id and ${inIdRange('id', 9)} and octet_length(payload) <= $12
      offset 0) as loaded
    offset 0
  ) as run on true`,
);

export interface ClaimBy {
  token: string;
  lockMs: number;
  now: number;
  workerName: string | null;
}

/** Which runs are loaded with their job. */
export interface RunsToLoad {
  /** No runs are loaded for a job that carries more runs than this. */
  most: number;
  /** Only runs in this range of ids are loaded. */
  ids: readonly [first: string, last: string];
  /** Only runs whose payload has at most this many bytes are loaded. */
  largestPayload: number;
}

type RunColumns = { [Column in keyof StoredRun as `run_${Column}`]: StoredRun[Column] };
type ClaimRow = JobRow & { id: string | null; more: boolean; next_delay: string | null; is_bullmqs: boolean };

/**
 * Claims the next job and completes other jobs in the same statement. With `load` it loads the runs of the job too;
 * `db` must then be the database of the runs.
 */
export async function claimJob(
  db: Queries,
  queue: string,
  { token, lockMs, now, workerName }: ClaimBy,
  completions: readonly Completion[],
  load?: RunsToLoad,
): Promise<Claimed> {
  const values = [queue, token, lockMs, now, workerName, ...columnsOf(completions)];
  const { rows } = load
    ? await db.query<ClaimRow & RunColumns>({
        name: 'claim-with-runs',
        text: CLAIM_WITH_RUNS,
        values: [...values, ...load.ids, load.most, load.largestPayload],
      })
    : await db.query<ClaimRow & Partial<RunColumns>>(CLAIM, values);
  const row = rows[0];
  if (!row) return { job: null, runs: [], more: false, nextDelay: 0, isBullMqs: false };
  return {
    job: row.id === null ? null : row,
    runs: rows.flatMap((each) => (each.run_id ? [storedRun(each as RunColumns)] : [])),
    more: row.more,
    nextDelay: Number(row.next_delay ?? 0),
    isBullMqs: row.is_bullmqs,
  };
}

const storedRun = (row: RunColumns): StoredRun =>
  Object.fromEntries(LOADED_COLUMNS.map(([name]) => [name, row[`run_${name}`]])) as unknown as StoredRun;
