import {
  maintenanceJobId,
  MaintenanceQueue,
  placesInMaintenanceQueue,
  type MaintenanceJob,
  type MaintenanceJobKind,
} from '@millrace/domain';
import { PostgresQueueBackend, type Queue } from 'bullmq';
import { withinDeadline } from './within-deadline';

/** The `data` of a job of the maintenance queue. */
export type MaintenancePayload = Pick<MaintenanceJob, 'rowId' | 'epoch' | 'data'>;
export type MaintenanceBullQueue = Queue<MaintenancePayload, void, MaintenanceJobKind>;

const DEADLINE_MS = 2_000;

/** The queue of background work on BullMQ, over Redis or PostgreSQL. */
export class BullMqMaintenanceQueue extends MaintenanceQueue {
  constructor(
    private readonly queue: MaintenanceBullQueue,
    private readonly deadlineMs = DEADLINE_MS,
  ) {
    super();
  }

  async enqueue(jobs: readonly MaintenanceJob[]): Promise<void> {
    if (jobs.length > 0) await withinDeadline(this.deadlineMs, this.add(jobs));
  }

  private async add(jobs: readonly MaintenanceJob[]): Promise<void> {
    const places = placesInMaintenanceQueue(jobs);
    const toAdd = jobs.map((job, i) => ({
      name: job.kind,
      data: { rowId: job.rowId, epoch: job.epoch, data: job.data },
      opts: { jobId: maintenanceJobId(job), priority: places[i] },
    }));
    // On PostgreSQL one statement adds all jobs. BullMQ's bulk call on Redis would add either all jobs or none.
    if (this.queue.getBackend() instanceof PostgresQueueBackend) await this.queue.addBulk(toAdd);
    else await Promise.all(toAdd.map(({ name, data, opts }) => this.queue.add(name, data, opts)));
  }
}
