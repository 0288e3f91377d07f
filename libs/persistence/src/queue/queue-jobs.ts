import { EntityNotFoundError, JobNotFailedError, type QueueCounts } from '@millrace/domain';
import type { Queue } from 'bullmq';
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

/** The longest id that is looked up. Those of this service are shorter. */
const LONGEST_ID = 200;

/** Puts a failed job back. Throws EntityNotFoundError for an unknown job and JobNotFailedError for any other. */
export async function retryFailedJob(queue: Queue, jobId: string): Promise<void> {
  const job = jobId.length > LONGEST_ID || jobId.includes('\0') ? undefined : await queue.getJob(jobId);
  if (!job) throw new EntityNotFoundError('job', jobId);
  try {
    await job.retry('failed', { resetAttemptsMade: true });
  } catch (error) {
    // It may have gone meanwhile, or another request may have put it back.
    const state = await job.getState();
    if (state === 'unknown') throw new EntityNotFoundError('job', jobId);
    if (state !== 'failed') throw new JobNotFailedError(jobId, state);
    throw error;
  }
}
