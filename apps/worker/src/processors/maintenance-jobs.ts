import { byLabel, Metrics, METRICS } from '@millrace/domain';
import { MaintenanceWorker, queueSettings } from '@millrace/persistence';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { WORKER_CONFIG, workerConnections, type WorkerConfig } from '../settings/config';
import { MaintenanceJobExecutor } from './maintenance-job-executor';
import { MaintenanceProcessors } from './maintenance-processors';

/** Most of these jobs wait for answers of other services. */
const SLOTS = 32;
/** The worker fetches more jobs than it has slots, so that the job of a project without a slot is found among them. */
const FETCHED = 3 * SLOTS;
/** Added to the time that runs in hand get, this is less than the 30 s in which a process has to end. */
const DRAIN_MS = 3_000;

/** Takes the jobs of the maintenance queue from the start of the worker to its shutdown. */
@Injectable()
export class MaintenanceJobs implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly executor: MaintenanceJobExecutor;
  private worker: MaintenanceWorker | null = null;

  constructor(
    processors: MaintenanceProcessors,
    @Inject(WORKER_CONFIG) private readonly config: WorkerConfig,
    metrics: Metrics,
  ) {
    this.executor = new MaintenanceJobExecutor(processors, { slots: SLOTS, drainMs: DRAIN_MS });
    metrics.report(METRICS.jobsFailed, () => byLabel('kind', this.executor.failed.entries()));
  }

  /** How many jobs have used up their attempts here. */
  get givenUp(): number {
    return this.worker?.givenUp ?? 0;
  }

  onApplicationBootstrap(): void {
    const queue = queueSettings(this.config, workerConnections(this.config).queue);
    this.worker = new MaintenanceWorker(queue, (job) => this.executor.execute(job), FETCHED);
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.worker) await this.executor.stop(this.worker);
  }
}
