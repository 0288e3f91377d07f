import type { PostgresQueueBackend } from 'bullmq';
import { QUEUE_SCHEMA } from './lean-queue.statements';

// BullMQ tells these the time of its machine. A machine that is ahead would hold up the search for stalled jobs of all
// workers, because the time of the next search is kept in the database, and would lock its jobs for too long. Here `now`
// is the time of day that all processes share, in milliseconds.

type JobPool = PostgresQueueBackend['connection']['pool'];

const RECOVER = `select id from ${QUEUE_SCHEMA}.move_stalled_jobs_to_wait($1, $2, $3, $4) as recovered (id)`;

export interface StalledJobs {
  maxStalledCount: number;
  everyMs: number;
}

/** Puts jobs back whose locks have lapsed. Returns their ids. */
export async function recoverStalledJobs(
  pool: JobPool,
  queue: string,
  { maxStalledCount, everyMs }: StalledJobs,
  now: number,
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(RECOVER, [queue, maxStalledCount, Math.floor(now), everyMs]);
  return rows.map(({ id }) => id);
}

const EXTEND = `
  update ${QUEUE_SCHEMA}.job set locked_until_ms = $5::bigint + $4::bigint
  from unnest($2::text[], $3::text[]) as held (id, token)
  where queue = $1 and job.id = held.id and state = 'active' and lock_token = held.token
  returning job.id`;

export interface LockedJobs {
  ids: readonly string[];
  tokens: readonly string[];
  lockMs: number;
}

/** Extends the locks of jobs. Returns the ids of the jobs whose locks were lost. */
export async function extendJobLocks(
  pool: JobPool,
  queue: string,
  { ids, tokens, lockMs }: LockedJobs,
  now: number,
): Promise<string[]> {
  const values = [queue, ids, tokens, Math.floor(lockMs), Math.floor(now)];
  const { rows } = await pool.query<{ id: string }>(EXTEND, values);
  const extended = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !extended.has(id));
}
