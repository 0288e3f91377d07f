import { WorkerHost } from '@nestjs/bullmq';
import { Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import {
  executeFlowJob,
  UnfinishedRuns,
  JOB_ATTEMPTS,
  JOB_PRIORITY,
  JobQueue,
  type ExecuteFlowJob,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import type { Job } from 'bullmq';
import { FlowRunner, type RunDelivery } from '../running/flow-runner.service';
import type { RunSlots } from '../running/run-slots';

/** What went wrong is for the log, under the run's id: it may name what is ours. */
const GAVE_UP = `The service could not execute the run in ${JOB_ATTEMPTS} attempts.`;

// The one door through which every run enters.
//
// P1. A failed run is a completed job: the job fails only for trouble of ours, and the queue tries it again.
// P2. When the attempts are spent, the run becomes INTERNAL_ERROR.
// P3. Runs take the slots in which they execute here, each its own: a job may carry several.
// P4. A worker that stops takes no more jobs, starts no more runs, and gives those in hand their time; then they are
//     handed back. Nothing they need may be closed before.
export class ExecuteFlowProcessor extends WorkerHost implements BeforeApplicationShutdown {
  private readonly logger = new Logger(ExecuteFlowProcessor.name);
  private readonly underWay = new Set<Promise<void>>();
  private isStopping = false;

  constructor(
    private readonly runner: FlowRunner,
    private readonly runs: UnfinishedRuns,
    private readonly queue: JobQueue,
    private readonly settings: { slots: RunSlots; drainSeconds: number },
  ) {
    super();
  }

  override process(job: Job<{ runs: ExecuteFlowJob[] }>): Promise<void> {
    const processed = this.executeAll(job).finally(() => this.underWay.delete(processed));
    this.underWay.add(processed);
    return processed;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.worker.pause(true);
    if (this.underWay.size === 0) return;
    const { drainSeconds } = this.settings;
    this.logger.log(`Waiting up to ${drainSeconds} s for the runs of ${this.underWay.size} jobs.`);
    const deadline = setTimeout(() => this.runner.interruptAll(), drainSeconds * 1_000);
    await Promise.allSettled(this.underWay);
    clearTimeout(deadline);
  }

  private async executeAll(job: Job<{ runs: ExecuteFlowJob[] }>): Promise<void> {
    const isLastAttempt = job.attemptsMade + 1 >= (job.opts.attempts ?? JOB_ATTEMPTS);
    const delivery = { wasLost: wasLostWithItsWorker(job) };
    const { slots } = this.settings;
    const results = await Promise.allSettled(
      job.data.runs.map((run) => slots.take(() => this.execute(run, delivery, isLastAttempt))),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  private async execute(run: ExecuteFlowJob, delivery: RunDelivery, isLastAttempt: boolean): Promise<void> {
    try {
      const left = this.isStopping ? 'handedBack' : await this.runner.run(run.runId, delivery);
      if (left === 'handedBack') await this.handOn(run);
    } catch (error) {
      this.logger.error(
        `Run ${run.runId} could not be brought to an ending`,
        error instanceof Error ? error.stack : error,
      );
      if (!isLastAttempt) throw error;
      await this.runner.giveUp(run.runId, GAVE_UP);
    }
  }

  /** This worker is stopping. A new job, since this one ends with its process; noted first, so that the rescuer knows it. */
  private async handOn(run: ExecuteFlowJob): Promise<void> {
    const jobId = newId();
    await this.runs.assignJob([run.runId], jobId);
    const next = executeFlowJob({ ...run, id: run.runId }, run.executionType);
    await this.queue.enqueue([{ jobId, priority: JOB_PRIORITY.webhook, runs: [next] }]);
  }
}

/** The queue began it more often than it heard how that ended. */
const wasLostWithItsWorker = ({ stalledCounter, attemptsStarted, attemptsMade }: Job): boolean =>
  stalledCounter > 0 || attemptsStarted > attemptsMade + 1;
