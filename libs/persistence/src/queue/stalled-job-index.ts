import type { PostgresQueueBackend } from 'bullmq';

// BullMQ's check for stalled jobs has no index for its mark: every two seconds it would scan all kept jobs (67 ms for
// 200,000). The advisory lock lets processes that start at the same time create the index one after the other. The
// check before avoids `create index` on later starts, which would wait for running writes.
const CREATE_ONCE = `
do $$
begin
  perform pg_advisory_xact_lock(hashtext('millrace:job_stalled_idx'));
  if to_regclass('job_stalled_idx') is null then
    create index job_stalled_idx on job (queue) where stalled_marked;
  end if;
end $$`;

/** Adds the index that BullMQ's schema lacks. The schema must exist, so the queue must be ready. */
export async function ensureStalledJobIndex(backend: PostgresQueueBackend): Promise<void> {
  await backend.connection.pool.query(CREATE_ONCE);
}
