import { abortWith, FairSlots, Tally, type MaintenanceJob } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import type { MaintenanceProcessors } from './maintenance-processors';

/** The part of the queue's worker that a stop needs. */
export interface JobSource {
  takeNoMore(): Promise<void>;
  close(): Promise<void>;
}

export interface MaintenanceLimits {
  /** How many jobs execute at once. A project without a job gets half as many further slots. */
  slots: number;
  /** How long a stop waits for the jobs in hand before it interrupts them, in milliseconds. */
  drainMs: number;
}

// Executes the jobs of the maintenance queue in this worker.
//
// J1. Projects share the slots as FairSlots defines it. A job that waits for a slot does not keep others from executing.
// J2. A stop takes no more jobs, gives those in hand some time, and then aborts their signals. Each job may be repeated.
// J3. Each job has a signal of its own, so that whatever it leaves in its signal goes with the job.
export class MaintenanceJobExecutor {
  private readonly logger = new Logger('MaintenanceJobs');
  private readonly stopping = abortWith([]);
  private readonly slots: FairSlots;
  /** The failed jobs, by kind. */
  readonly failed = new Tally<string>();
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly processors: MaintenanceProcessors,
    private readonly limits: MaintenanceLimits,
  ) {
    this.slots = new FairSlots(limits.slots, Math.ceil(limits.slots / 2));
  }

  /** Executes the job. Rejects when the queue is to try it again. */
  execute(job: MaintenanceJob): Promise<void> {
    const tracked = this.inSlot(job).finally(() => this.underWay.delete(tracked));
    this.underWay.add(tracked);
    return tracked;
  }

  async stop(source: JobSource): Promise<void> {
    await source.takeNoMore();
    const deadline = setTimeout(() => this.stopping.abort(new Error('The worker stops.')), this.limits.drainMs);
    await Promise.allSettled(this.underWay);
    clearTimeout(deadline);
    await source.close();
  }

  private async inSlot(job: MaintenanceJob): Promise<void> {
    const slot = this.slots.take(job.data.projectId);
    const link = abortWith([this.stopping.signal]);
    try {
      await slot.granted;
      link.signal.throwIfAborted();
      await this.processors.of(job.kind).process(job, link.signal);
    } catch (error) {
      this.failed.add(job.kind);
      this.logger.warn({
        msg: `The ${job.kind} of ${job.rowId} failed: ${String(error)}`,
        projectId: job.data.projectId,
      });
      throw error;
    } finally {
      link.end();
      slot.end();
    }
  }
}
