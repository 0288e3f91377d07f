import { Injectable, Logger } from '@nestjs/common';
import {
  executeFlowJob,
  UnfinishedRuns,
  JOB_ATTEMPTS,
  JOB_PRIORITY,
  JobQueue,
  type ExecuteFlowJob,
} from '@millrace/domain';
import { FlowRunner } from '../flow-runner';
import type { DeliveryResult, RunDelivery } from '../run-delivery';
import { isQuarantine, Quarantine } from '../slots/quarantine';
import type { RunSlots } from '../slots/run-slots';
import { MOST_TOO_SLOW, UncountedAttempts, type UncountedAttemptsPorts } from './uncounted-attempts';

/** Users read this reason. The error itself goes to the log, under the run's id, because it may name internals. */
const GAVE_UP = `The service could not execute the run in ${JOB_ATTEMPTS} attempts.`;
const TOO_SLOW = `The service could not read or write what belongs to the run in time, in ${MOST_TOO_SLOW} attempts.`;

/** A job as the queue delivers it: what the executor reads of BullMQ's job. */
export interface DeliveredJob {
  data: { runs: readonly ExecuteFlowJob[] };
  attemptsMade: number;
  attemptsStarted: number;
  /** How often a worker stopped renewing its lock on the job. */
  stalledCounter: number;
  opts: { attempts?: number };
}

/** How one attempt of a job treats each of its runs. */
interface Attempt {
  isLastAttempt: boolean;
  /** The job carries no other run. */
  isAlone: boolean;
}

/** The class is also the token of these settings. */
export abstract class JobExecutorSettings implements Pick<UncountedAttemptsPorts, 'freezes' | 'storeFailure'> {
  abstract readonly freezes: UncountedAttemptsPorts['freezes'];
  abstract readonly storeFailure: UncountedAttemptsPorts['storeFailure'];
  abstract readonly slots: RunSlots;
  abstract readonly drainSeconds: number;
  abstract readonly newId: () => string;
}

// Every delivered run enters here.
//
// P1. A job whose run failed is completed. A job fails only because of the service's own trouble, and the queue then
//     tries it again.
// P2. A run that used up the attempts of its job ends as INTERNAL_ERROR. When the job carried other runs too, the run
//     first gets a job, and attempts, of its own. An attempt does not count when this worker was frozen or its stores
//     were away: the job fails, and the rescuer enqueues the run again. A run that its store cannot serve in time,
//     while the store answers, still ends after a number of attempts.
// P3. A job may carry several runs; each takes its own slot. While a run only waits, another run may use its slot.
// P4. A run that has lost workers leaves its slot and its job, and executes in quarantine.
// P5. A worker that stops takes no more jobs and starts no more runs. It gives the runs in hand time to end, and then
//     re-enqueues them. Nothing that these runs need may be closed before.
@Injectable()
export class JobExecutor {
  private readonly logger = new Logger(JobExecutor.name);
  private readonly underWay = new Set<Promise<void>>();
  private readonly quarantine: Quarantine;
  private readonly uncounted: UncountedAttempts;
  private isStopping = false;

  constructor(
    private readonly runner: FlowRunner,
    private readonly runs: UnfinishedRuns,
    private readonly queue: JobQueue,
    private readonly settings: JobExecutorSettings,
  ) {
    const { freezes, storeFailure } = settings;
    const canReadRow = (runId: string) => runner.canReadRow(runId);
    this.uncounted = new UncountedAttempts({ freezes, storeFailure, canReadRow });
    this.quarantine = new Quarantine((run, level, isLastAttempt) =>
      this.executeRun(run, { wasLost: true, quarantine: level }, { isLastAttempt, isAlone: true }),
    );
  }

  /** Executes the runs of the job. Rejects when the queue is to try the job again. */
  execute(job: DeliveredJob): Promise<void> {
    return this.track(this.executeAll(job));
  }

  /** Stops as P5 says. `takeNoMoreJobs` makes the queue deliver no more jobs here. */
  async stop(takeNoMoreJobs: () => Promise<void>): Promise<void> {
    this.isStopping = true;
    await takeNoMoreJobs();
    if (this.underWay.size === 0) return;
    const { drainSeconds } = this.settings;
    this.logger.log(`Waiting up to ${drainSeconds} s for the runs in hand.`);
    const deadline = setTimeout(() => this.runner.interruptAll(), drainSeconds * 1_000);
    while (this.underWay.size > 0) await Promise.allSettled(this.underWay);
    clearTimeout(deadline);
  }

  private track(work: Promise<void>): Promise<void> {
    const tracked = work.finally(() => this.underWay.delete(tracked));
    this.underWay.add(tracked);
    return tracked;
  }

  private async executeAll(job: DeliveredJob): Promise<void> {
    const isLastAttempt = job.attemptsMade + 1 >= (job.opts.attempts ?? JOB_ATTEMPTS);
    const attempt = { isLastAttempt, isAlone: job.data.runs.length === 1 };
    const delivery = { wasLost: wasLostWithItsWorker(job) };
    const { slots } = this.settings;
    const results = await Promise.allSettled(
      job.data.runs
        .filter(({ runId }) => !this.quarantine.has(runId))
        .map((run) => slots.take(run.projectId, (slot) => this.executeRun(run, { ...delivery, slot }, attempt))),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  private async executeRun(
    run: ExecuteFlowJob,
    delivery: RunDelivery,
    { isLastAttempt, isAlone }: Attempt,
  ): Promise<void> {
    const began = performance.now();
    let result: DeliveryResult;
    try {
      result = this.isStopping ? 'reenqueue' : await this.runner.run(run.runId, delivery);
    } catch (error) {
      this.logger.error({ msg: `Run ${run.runId} could not be brought to an ending`, ...idsOf(run) }, error);
      const verdict = await this.uncounted.judge(run.runId, error, began);
      if (verdict === 'ends') return this.runner.giveUpUnread(run.runId, TOO_SLOW);
      if (verdict === 'uncounted') await this.noteBegun(run.runId);
      if (verdict !== 'counts' || !isLastAttempt) throw error;
      return isAlone ? this.runner.giveUp(run.runId, GAVE_UP) : this.reenqueue(run);
    }
    this.uncounted.forget(run.runId);
    if (result === 'reenqueue') await this.reenqueue(run);
    else if (isQuarantine(result)) void this.track(this.quarantine.execute(run, result));
  }

  /** Notes that the run has begun. A failure is only logged, because the next attempt notes it again. */
  private async noteBegun(runId: string): Promise<void> {
    await this.runner
      .noteBegun(runId)
      .catch((error: unknown) =>
        this.logger.warn({ msg: `The start of run ${runId} could not be recorded: ${String(error)}`, runId }),
      );
  }

  /**
   * Enqueues the run in a new job, because this job ends with the process or has used up its attempts. The new job id
   * is assigned before the job is enqueued, so that the rescuer knows it. When the store or the queue is away, the
   * rescuer enqueues the run later; the failure says nothing about the run.
   */
  private async reenqueue(run: ExecuteFlowJob): Promise<void> {
    const jobId = this.settings.newId();
    const next = executeFlowJob({ ...run, id: run.runId }, run.executionType);
    try {
      await this.runs.assignJob([run.runId], jobId);
      await this.queue.enqueue([{ jobId, priority: JOB_PRIORITY.webhook, runs: [next] }]);
    } catch (error) {
      const msg = `Run ${run.runId} could not be enqueued again and is left to the rescuer: ${String(error)}`;
      this.logger.warn({ msg, ...idsOf(run) });
    }
  }
}

/** The ids under which a line of the log is found. */
const idsOf = ({ runId, projectId }: ExecuteFlowJob) => ({ runId, projectId });

/** Says whether a worker was lost with this job: the queue has started more attempts than it has seen end. */
const wasLostWithItsWorker = ({ stalledCounter, attemptsStarted, attemptsMade }: DeliveredJob): boolean =>
  stalledCounter > 0 || attemptsStarted > attemptsMade + 1;
