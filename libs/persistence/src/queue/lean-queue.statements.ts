// Statements on BullMQ's own tables, for jobs as ours are: no parents, no deduplication, no delay when they are added, nothing returned.

/** The channel on which BullMQ announces new jobs; the payload is the queue's name. */
export const JOBS_CHANNEL = 'bullmq_jobs';

// BullMQ keeps five events a job, each with an insert and a notice that wakes every listening process, and nothing of ours
// reads them. It has no setting for that. The advisory lock is for the processes that start together.
const WRITE_NO_EVENTS = `
do $do$
begin
  perform pg_advisory_xact_lock(hashtext('millrace:publish_event'));
  if (select prosrc from pg_proc where oid = 'publish_event(text, text, jsonb)'::regprocedure) <> 'select 0::bigint' then
    create or replace function publish_event(p_queue text, p_event text, p_data jsonb) returns bigint
      language sql immutable as 'select 0::bigint';
  end if;
end $do$`;

/** Needs the schema, so call when the queue is ready. */
export async function writeNoEvents(pool: Queries): Promise<void> {
  await pool.query(WRITE_NO_EVENTS);
}

/** BullMQ's pool. */
export interface Queries {
  query<Row>(text: string, values?: readonly unknown[]): Promise<{ rows: Row[] }>;
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

const ADD = `
  with added as (
    insert into job (queue, id, seq, name, state, data, opts, priority, max_attempts, added_at_ms)
    select $1, id, nextval('job_seq'), name, 'waiting', data::jsonb, opts::jsonb, priority, attempts, added_at
    from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::int[], $8::bigint[])
      as asked (id, name, data, opts, priority, attempts, added_at)
    on conflict (queue, id) do nothing
    returning id
  )
  select pg_notify('${JOBS_CHANNEL}', $1) from (select from added limit 1) as any_added`;

/** In one statement, with one notice. A job whose id is there already stays as it is. */
export async function addJobs(db: Queries, queue: string, jobs: readonly AddedJob[]): Promise<void> {
  await db.query(ADD, [
    queue,
    jobs.map(({ id }) => id),
    jobs.map(({ name }) => name),
    jobs.map(({ data }) => data),
    jobs.map(({ opts }) => opts),
    jobs.map(({ priority }) => priority),
    jobs.map(({ attempts }) => attempts),
    jobs.map(({ timestamp }) => timestamp),
  ]);
}

export interface Completion {
  jobId: string;
  token: string;
  finishedOn: number;
}

// A job that has lost its lock is another worker's by now, and stays so.
const completeStatement = (first: number) => `
  update job
  set state = 'completed', return_value = 'null', finished_at_ms = held.finished_on, lock_token = null,
      locked_until_ms = null, attempts_made = attempts_made + 1
  from unnest($${first}::text[], $${first + 1}::text[], $${first + 2}::bigint[]) as held (id, token, finished_on)
  where job.queue = $1 and job.id = held.id and job.state = 'active' and job.lock_token = held.token`;

const COMPLETE = completeStatement(2);

export async function completeJobs(db: Queries, queue: string, completions: readonly Completion[]): Promise<void> {
  await db.query(COMPLETE, [queue, ...columnsOf(completions)]);
}

const columnsOf = (completions: readonly Completion[]): unknown[] => [
  completions.map(({ jobId }) => jobId),
  completions.map(({ token }) => token),
  completions.map(({ finishedOn }) => finishedOn),
];

/** As in the table; numbers that may be large come as text. */
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
  /** Others wait, as far as the statement could see. */
  more: boolean;
  /** When a job becomes due that is tried again; 0 for none. Not asked for when there is a job. */
  nextDelay: number;
}

const CLAIM = `
  with completed as (${completeStatement(6)})
  select next.id, next.name, next.data::text as data, next.opts, next.attempts_made, next.attempts_started,
         next.processed_at_ms, next.added_at_ms, next.delay_ms, next.priority, next.failed_reason, next.stacktrace,
         next.deferred_failure, next.processed_by, next.stalled_count,
         exists (select from job
                 where job.queue = $1 and job.state = 'waiting' and job.id is distinct from next.id) as more,
         case when next.id is null then next_delay($1) end as next_delay
  from (select) as always
  left join lateral (select * from move_to_active($1, $2, $3, $4, $5, null, null)) as next on true`;

export interface ClaimBy {
  token: string;
  lockMs: number;
  now: number;
  workerName: string | null;
}

type ClaimRow = JobRow & { id: string | null; more: boolean; next_delay: string | null };

/** The next job, and on the way the completion of others. */
export async function claimJob(
  db: Queries,
  queue: string,
  { token, lockMs, now, workerName }: ClaimBy,
  completions: readonly Completion[],
): Promise<Claimed> {
  const values = [queue, token, lockMs, now, workerName, ...columnsOf(completions)];
  const [row] = (await db.query<ClaimRow>(CLAIM, values)).rows;
  if (!row) return { job: null, more: false, nextDelay: 0 };
  return { job: row.id === null ? null : row, more: row.more, nextDelay: Number(row.next_delay ?? 0) };
}
