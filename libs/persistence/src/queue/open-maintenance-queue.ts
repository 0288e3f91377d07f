import { MAINTENANCE_QUEUE, type MaintenanceJobKind, type MaintenanceQueue } from '@millrace/domain';
import type { JobType } from 'bullmq';
import { BullMqMaintenanceQueue, type MaintenancePayload } from './bullmq-maintenance-queue';
import { ListenedQueue } from './listened-queue';
import { queueOptions, useQueueStore } from './queue-connection';
import { QueueCleaner } from './queue-cleaner';
import type { QueueSettings } from './queue-settings';
import { withinDeadline } from './within-deadline';

const OPENS_WITHIN_MS = 3_000;

export interface OpenMaintenanceQueue {
  readonly jobs: MaintenanceQueue;
  readonly cleaner: Pick<QueueCleaner, 'clean'>;
  counts(...states: JobType[]): Promise<Record<string, number>>;
  close(): Promise<void>;
}

/**
 * Opens the queue of background work. Rejects with QueueDeadlineError when Redis or PostgreSQL does not answer in time,
 * and leaves nothing open then.
 */
export async function openMaintenanceQueue(
  settings: QueueSettings,
  opensWithinMs = OPENS_WITHIN_MS,
): Promise<OpenMaintenanceQueue> {
  useQueueStore(settings);
  const queue = new ListenedQueue<MaintenancePayload, void, MaintenanceJobKind>(
    MAINTENANCE_QUEUE,
    queueOptions(settings),
  );
  try {
    await withinDeadline(opensWithinMs, queue.waitUntilReady());
  } catch (error) {
    await queue.close();
    throw error;
  }
  return {
    jobs: new BullMqMaintenanceQueue(queue),
    cleaner: new QueueCleaner(queue, settings),
    counts: (...states) => withinDeadline(OPENS_WITHIN_MS, queue.getJobCounts(...states)),
    close: () => queue.close(),
  };
}
