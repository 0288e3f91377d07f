import type { PostgresQueueBackend, RedisQueueBackend } from 'bullmq';

// Finds out in one call which of thousands of jobs are alive. BullMQ asks for the state of one job at a time.

const GONE = `
  select id from unnest($2::text[]) asked (id) where not exists (
    select from job where job.queue = $1 and job.id = asked.id and job.state not in ('completed', 'failed'))`;

/** Returns the ids of the jobs that have ended or do not exist. */
export async function goneInPostgres(
  backend: PostgresQueueBackend,
  queue: string,
  jobIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await backend.connection.pool.query<{ id: string }>(GONE, [queue, jobIds]);
  return new Set(rows.map(({ id }) => id));
}

const WAITING = `
  local waits = {}
  for i, id in ipairs(ARGV) do waits[i] = redis.call('ZSCORE', KEYS[1], id) and 1 or 0 end
  return waits`;
const COMMAND = 'millraceWaiting';
const taught = new WeakSet<object>();

/** Returns the ids of the jobs that wait in the queue. The others are active, delayed or ended, or do not exist. */
export async function waitingInRedis(backend: RedisQueueBackend, jobIds: readonly string[]): Promise<Set<string>> {
  if (jobIds.length === 0) return new Set();
  const client = await backend.client;
  if (!taught.has(client)) client.defineCommand(COMMAND, { numberOfKeys: 1, lua: WAITING });
  taught.add(client);
  const waits = (await client.runCommand(COMMAND, [backend.toKey('prioritized'), ...jobIds])) as number[];
  return new Set(jobIds.filter((_, i) => waits[i] === 1));
}
