import { MaintenanceQueue, type MaintenanceJob } from '@millrace/domain';
import type { JobType } from 'bullmq';
import type { OpenMaintenanceQueue } from './open-maintenance-queue';

/**
 * A queue of background work that is opened by the first call. When opening fails, the call rejects and the next call
 * tries again.
 */
export class LazyMaintenanceQueue extends MaintenanceQueue {
  private opening: Promise<OpenMaintenanceQueue> | null = null;

  constructor(private readonly open: () => Promise<OpenMaintenanceQueue>) {
    super();
  }

  async enqueue(jobs: readonly MaintenanceJob[]): Promise<void> {
    if (jobs.length > 0) await (await this.opened()).jobs.enqueue(jobs);
  }

  /** Removes finished jobs and returns their number. */
  async clean(): Promise<number> {
    return (await this.opened()).cleaner.clean();
  }

  async getJobCounts(...states: JobType[]): Promise<Record<string, number>> {
    return (await this.opened()).counts(...states);
  }

  /** Closes the queue if it was opened. A failure to open it has rejected the call that wanted it. */
  async close(): Promise<void> {
    const opened = await this.opening?.catch(() => null);
    await opened?.close();
  }

  private opened(): Promise<OpenMaintenanceQueue> {
    this.opening ??= this.open().catch((error: unknown) => {
      this.opening = null;
      throw error;
    });
    return this.opening;
  }
}
