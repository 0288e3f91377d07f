import { RUN_QUEUE, type BacklogWatch, type JobKind, type JobQueue, type QueueAdministration } from '@millrace/domain';
import type { JobType } from 'bullmq';
import { BullMqJobQueue } from './bullmq-job-queue';
import type { RunJobData } from './run-queue';
import { ListenedQueue } from './listened-queue';
import { queueOptions, useQueueStore } from './queue-connection';
import { queueAnswers } from './queue-answers';
import { countJobs } from './queue-jobs';
import type { QueueProbe } from './queue-probe';
import type { QueueSettings } from './queue-settings';
import { withinDeadline } from './within-deadline';

/**
 * This is shorter than an intake waits for its queue (LAZY_QUEUE_DEADLINE_MS), and shorter than an app takes to stop.
 */
const DEADLINE_MS = 3_000;
/** Counting the jobs of a long queue takes longer than other calls. */
const COUNTED_WITHIN_MS = 10_000;

export interface OpenJobQueue extends QueueProbe {
  readonly jobs: JobQueue;
  readonly administration: QueueAdministration;
  countsOf(...states: JobType[]): Promise<Record<string, number>>;
  close(): Promise<void>;
}

/**
 * Opens the job queue without Nest, for apps that open it late. Rejects with QueueDeadlineError when Redis or
 * PostgreSQL does not answer in time, and leaves nothing open then.
 */
export async function openJobQueue(
  settings: QueueSettings,
  deadlineMs = DEADLINE_MS,
  backlog?: BacklogWatch,
): Promise<OpenJobQueue> {
  useQueueStore(settings);
  const queue = new ListenedQueue<RunJobData, void, JobKind>(RUN_QUEUE, queueOptions(settings));
  try {
    await withinDeadline(deadlineMs, queue.waitUntilReady());
  } catch (error) {
    await queue.close();
    throw error;
  }
  return {
    jobs: new BullMqJobQueue(queue, undefined, backlog),
    administration: {
      counts: () => withinDeadline(COUNTED_WITHIN_MS, countJobs(queue)),
    },
    countsOf: (...states) => withinDeadline(COUNTED_WITHIN_MS, queue.getJobCounts(...states)),
    answers: () => queueAnswers(queue),
    close: () => queue.close(),
  };
}
