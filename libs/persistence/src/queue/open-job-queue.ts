import { RUN_QUEUE, type BacklogWatch, type JobKind, type JobQueue } from '@millrace/domain';
import { BullMqJobQueue, type RunJobData } from './bullmq-job-queue';
import { ListenedQueue } from './listened-queue';
import { queueOptions, useQueueStore, type QueueSettings } from './queue-connection';
import { withinDeadline } from './within-deadline';

/** Shorter than who accepts a run waits for its queue, and than an app takes to stop. */
const DEADLINE_MS = 3_000;

export interface OpenJobQueue {
  readonly jobs: JobQueue;
  close(): Promise<void>;
}

/** The job queue without Nest, for who opens it late. Rejects, and leaves nothing open, when its store is not there in time. */
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
  return { jobs: new BullMqJobQueue(queue, undefined, backlog), close: () => queue.close() };
}
