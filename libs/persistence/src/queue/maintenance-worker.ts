import { MAINTENANCE_QUEUE, type MaintenanceJob } from '@millrace/domain';
import type { Job } from 'bullmq';
import type { MaintenancePayload } from './bullmq-maintenance-queue';
import { ListenedWorker } from './listened-queue';
import { maintenanceWorkerOptions, useQueueStore } from './queue-connection';
import type { QueueSettings } from './queue-settings';

/** Takes jobs of background work from the queue. A job whose `process` rejects is tried again. */
export class MaintenanceWorker {
  private readonly worker: ListenedWorker;

  constructor(
    settings: QueueSettings,
    process: (job: MaintenanceJob) => Promise<void>,
    concurrency: number,
    queue = MAINTENANCE_QUEUE,
  ) {
    useQueueStore(settings);
    this.worker = new ListenedWorker(
      queue,
      (job: Job<MaintenancePayload>) => process({ kind: job.name, ...job.data } as MaintenanceJob),
      maintenanceWorkerOptions(settings, concurrency),
    );
  }

  get givenUp(): number {
    return this.worker.givenUp;
  }

  /** Takes no more jobs, and does not wait for those in hand. */
  takeNoMore(): Promise<void> {
    return this.worker.pause(true);
  }

  /** Waits for the jobs in hand, unless Redis is away, and closes the connections. */
  close(): Promise<void> {
    return this.worker.close();
  }
}
