import { WorkerHost } from '@nestjs/bullmq';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { ExecuteFlowJob } from '@millrace/domain';
import { JobExecutor } from '@millrace/runner';
import type { Job } from 'bullmq';

/** Passes the jobs of BullMQ's worker to the executor, and stops both with the app. */
@Injectable()
export class ExecuteFlowProcessor extends WorkerHost implements BeforeApplicationShutdown {
  constructor(private readonly executor: JobExecutor) {
    super();
  }

  override process(job: Job<{ runs: ExecuteFlowJob[] }>): Promise<void> {
    return this.executor.execute(job);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.executor.stop(() => this.worker.pause(true));
  }
}
