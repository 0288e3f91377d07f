import type { MaintenanceBullQueue } from './bullmq-maintenance-queue';
import type { QueueSettings } from './queue-settings';
import type { RunQueue } from './run-queue';

/** Both queues, for those who look at them. */
export interface AllQueues {
  readonly runs: RunQueue;
  readonly maintenance: MaintenanceBullQueue;
  close(): Promise<void>;
}

/**
 * Loads BullMQ and opens both queues with few connections. It does not wait for their store: the calls of the queues
 * do.
 */
export const openAllQueues = async (settings: QueueSettings): Promise<AllQueues> =>
  (await import('./open-all-queues')).openNow(settings);
