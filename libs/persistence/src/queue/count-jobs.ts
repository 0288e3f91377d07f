import type { QueueCounts } from '@millrace/domain';
import type { RunQueue } from './run-queue';

/** Counts the jobs as the interface does: BullMQ has no state for the jobs of a paused queue. */
export async function countJobs(queue: RunQueue): Promise<QueueCounts> {
  const [counts, isPaused] = await Promise.all([
    queue.getJobCounts('wait', 'prioritized', 'active', 'completed', 'failed', 'delayed'),
    queue.isPaused(),
  ]);
  const of = (state: string): number => counts[state] ?? 0;
  const waiting = of('wait') + of('waiting') + of('prioritized');
  return {
    waiting,
    active: of('active'),
    completed: of('completed'),
    failed: of('failed'),
    delayed: of('delayed'),
    paused: isPaused ? waiting : 0,
  };
}
