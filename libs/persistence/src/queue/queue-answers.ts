import type { Queue } from 'bullmq';

/** Whether the store of the queue answers. Rejects when it is away, or has no answer as long as it is silent. */
export async function queueAnswers(queue: Queue): Promise<boolean> {
  // In either store this reads one field of the queue, and in a cluster from the node that has the queue.
  await queue.isPaused();
  return true;
}
