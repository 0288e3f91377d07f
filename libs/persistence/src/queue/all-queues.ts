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

/** Both queues, opened by whoever asks first, for all who look at them in this process. */
export class SharedQueues {
  private opening: Promise<AllQueues> | null = null;

  constructor(private readonly open: () => Promise<AllQueues>) {}

  /** When opening fails, the next call tries again. */
  get(): Promise<AllQueues> {
    this.opening ??= this.open().catch((error: unknown) => {
      this.opening = null;
      throw error;
    });
    return this.opening;
  }

  /** Closes them. A later call opens them again. */
  async close(): Promise<void> {
    const { opening } = this;
    this.opening = null;
    const opened = await opening?.catch(() => null);
    await opened?.close();
  }
}
