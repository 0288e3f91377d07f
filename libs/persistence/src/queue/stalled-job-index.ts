import type { PostgresQueueBackend } from 'bullmq';

// BullMQ's stalled check looks for marked jobs without an index: a scan of every kept job (67 ms at 200,000) every two seconds.
// The advisory lock is for the processes that start together; `create index` alone would also wait for running writes each time.
const CREATE_ONCE = `
do $$
begin
  perform pg_advisory_xact_lock(hashtext('millrace:job_stalled_idx'));
  if to_regclass('job_stalled_idx') is null then
    create index job_stalled_idx on job (queue) where stalled_marked;
  end if;
end $$`;

/** Adds the one index that BullMQ's own schema lacks. Needs the schema, so call when the queue is ready. */
export async function ensureStalledJobIndex(backend: PostgresQueueBackend): Promise<void> {
  await backend.connection.pool.query(CREATE_ONCE);
}
