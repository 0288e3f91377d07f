import { WorkerHost } from '@nestjs/bullmq';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { ExecuteFlowJob } from '@millrace/domain';
import type { ListenedWorker } from '@millrace/persistence';
import { JobExecutor } from '@millrace/runner';
import type { Job } from 'bullmq';

/** Passes the jobs of BullMQ's worker to the executor, and stops both with the app. */
@Injectable()
export class ExecuteFlowProcessor extends WorkerHost implements BeforeApplicationShutdown {
  constructor(private readonly executor: JobExecutor) {
    super();
  }

  /** How many jobs have used up their attempts here. The worker is there from the start of the app on. */
  get givenUp(): number {
    return (this.worker as ListenedWorker).givenUp;
  }

  override process(job: Job<{ runs: ExecuteFlowJob[] }>): Promise<void> {
    return this.executor.execute(job);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.executor.stop(() => this.worker.pause(true));
  }
}
