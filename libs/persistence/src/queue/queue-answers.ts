import { RedisQueueBackend, type Queue } from 'bullmq';
import { redisFailure } from './redis-failure';

/** The mark that a check writes is gone this long after the last check. */
const MARK_LASTS_SECONDS = 60;

/**
 * Whether the store of the queue answers and takes jobs, or why Redis does not. It rejects when PostgreSQL is away, and has
 * no answer as long as the store is silent.
 */
export async function queueAnswers(queue: Queue): Promise<true | string> {
  const backend: unknown = queue.getBackend();
  if (backend instanceof RedisQueueBackend) return redisTakesJobs(backend, queue);
  await queue.isPaused();
  return true;
}

async function redisTakesJobs(backend: RedisQueueBackend, queue: Queue): Promise<true | string> {
  try {
    await writeMark(backend, queue);
    return true;
  } catch (error) {
    const failure = error instanceof Error ? redisFailure(error) : null;
    if (failure === null) throw error;
    return failure;
  }
}

/**
 * Writes a key, because a Redis whose memory or disk is full, and a replica of it, answer every read. In a cluster the
 * node that has the queue keeps the key.
 */
async function writeMark(backend: RedisQueueBackend, queue: Queue): Promise<void> {
  const client = await backend.client;
  await client.set(queue.toKey('written'), 1, { EX: MARK_LASTS_SECONDS });
}
