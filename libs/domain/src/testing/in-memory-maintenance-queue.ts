import { JOB_ATTEMPTS } from '../jobs/job-policy';
import { maintenanceJobId, type MaintenanceJob } from '../jobs/maintenance-jobs';
import { placesInMaintenanceQueue } from '../jobs/maintenance-places';
import { MaintenanceQueue } from '../jobs/maintenance-queue';

interface QueuedJob {
  job: MaintenanceJob;
  place: number;
  order: number;
}

/** The twin of the real queue for tests. It stores nothing durably, and executes jobs when `work` is called. */
export class InMemoryMaintenanceQueue extends MaintenanceQueue {
  private readonly known = new Set<string>();
  private queued: QueuedJob[] = [];
  private added = 0;
  private unavailable: Error | null = null;

  async enqueue(jobs: readonly MaintenanceJob[]): Promise<void> {
    if (this.unavailable) throw this.unavailable;
    const places = placesInMaintenanceQueue(jobs);
    jobs.forEach((job, i) => {
      const id = maintenanceJobId(job);
      if (this.known.has(id)) return;
      this.known.add(id);
      this.queued.push({ job, place: places[i] ?? 0, order: this.added++ });
    });
  }

  /** The jobs that wait for a worker, in the order of their execution. */
  waiting(): MaintenanceJob[] {
    return [...this.queued].sort((a, b) => a.place - b.place || a.order - b.order).map(({ job }) => job);
  }

  /** Executes the waiting jobs one after another. A job that fails is tried again at once, up to JOB_ATTEMPTS times. */
  async work(process: (job: MaintenanceJob) => Promise<void>): Promise<void> {
    for (let [next] = this.waiting(); next; [next] = this.waiting()) {
      const job = next;
      this.queued = this.queued.filter((queued) => queued.job !== job);
      for (let attempt = 1; attempt <= JOB_ATTEMPTS; attempt++) {
        const succeeded = await process(job).then(
          () => true,
          () => false,
        );
        if (succeeded) break;
      }
    }
  }

  /** Refuses every call until `recover`, as when Redis is away. */
  fail(error = new Error('The maintenance queue is away.')): void {
    this.unavailable = error;
  }

  recover(): void {
    this.unavailable = null;
  }

  /** Forgets all jobs, like a store that lost its data. */
  lose(): void {
    this.known.clear();
    this.queued = [];
  }
}
