import { setTimeout as sleep } from 'node:timers/promises';
import { timeOfDay } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import { PostgresQueueBackend, type BackendFactory, type JobJson, type KeepJobs, type MinimalJob } from 'bullmq';
import {
  addJobs,
  claimJob,
  completeJobs,
  JOBS_CHANNEL,
  type Claimed,
  type Completion,
  type JobRow,
} from './lean-queue.statements';
import type { ClaimedRuns } from './claimed-runs';
import { extendJobLocks, recoverStalledJobs } from './job-locks.statements';
import { QueueConnection } from './queue-store';
import type { QueueSettings } from './queue-settings';
import type { RunWorkerOptions } from './run-worker';

/** The result of a claim as BullMQ's worker expects it: the job and its id, or null and when to ask again (ms). */
type NextJob = [job: JobJson | null, id: string, rateLimitDelay: number, delayUntil: number];

type Entries = Parameters<PostgresQueueBackend['addJobs']>[0];
type Finished = Awaited<ReturnType<PostgresQueueBackend['moveToCompleted']>>;

const TRY_AGAIN_MS = 1_000;

/** BullMQ's classes keep the outcome of their start here. */
interface Starting {
  readyPromise: Promise<void> | undefined;
}

/**
 * BullMQ's own backend for PostgreSQL takes eight transactions for a lone job. This backend takes three.
 *
 * L1. One statement with one notification adds the jobs that are added together.
 * L2. A claim also loads the runs of its job when they are few (claimed-runs.ts), and tells whether more jobs wait and
 *     when the next retry is due. When no job waits, the worker asks again after a notification or when its block time
 *     is over, so it finds every job that becomes ready.
 * L3. When no job waits, a completion is written together with the next claim. Until then this worker still holds the
 *     job's lock. When the worker dies before, the job is delivered again and its runs are found ended.
 */
export class LeanPostgresBackend extends PostgresQueueBackend {
  /** A held completion is written by itself after this time, long before the job's lock of 15 s ends. */
  completedWithinMs = 100;
  private readonly logger = new Logger('QueueWorker');
  /** Completions that are not written yet. */
  private held: Completion[] = [];
  private writeTimer: NodeJS.Timeout | null = null;
  /** How often something has happened that may have made a job ready. */
  private wakeUps = 0;
  /** The value of `wakeUps` when the last claim that found the queue empty began. */
  private emptyAsOf = -1;
  private nextDelay = 0;
  /** BullMQ's own claim gave no job although jobs may wait, because the queue is paused or limited. */
  private isRefused = false;
  private endWait: (() => void) | null = null;
  private isListening = false;
  private isInterrupted = false;

  constructor(
    readonly queueConnection: QueueConnection,
    name: string,
    options: ConstructorParameters<typeof PostgresQueueBackend>[2],
  ) {
    super(queueConnection, name, options, true);
  }

  override async addJobs(entries: Entries): Promise<string[]> {
    if (entries.length === 0) return [];
    if (!entries.every(isPlain)) return super.addJobs(entries);
    await this.waitUntilReady();
    const jobs = entries.map(({ job, jobId }) => ({
      id: jobId,
      name: job.name,
      data: job.data,
      opts: JSON.stringify(job.opts ?? {}),
      priority: job.opts?.priority ?? 0,
      attempts: job.opts?.attempts ?? 1,
      timestamp: job.timestamp,
    }));
    await addJobs(this.connection.pool, this.queueName, jobs);
    return jobs.map(({ id }) => id);
  }

  /** BullMQ would remember a failed start for ever: a database that was away once would be away until a restart. */
  override async waitUntilReady(): Promise<void> {
    const ready = super.waitUntilReady();
    const remembered: Starting = this as unknown as Starting;
    const { readyPromise } = remembered;
    try {
      await ready;
    } catch (error) {
      if (remembered.readyPromise === readyPromise) {
        remembered.readyPromise = undefined;
        (this.connection as unknown as Starting).readyPromise = undefined;
      }
      throw error;
    }
  }

  override async moveToActive(token: string, name?: string): Promise<NextJob> {
    await this.waitUntilReady().catch(rethrowLater);
    if (this.isEmpty) return this.none();
    return this.claim(token, name, this.workerOptions.claimedRuns);
  }

  override async moveToCompleted<T, R, N extends string>(
    job: MinimalJob<T, R, N>,
    returnValue: R,
    removeOnComplete: boolean | number | KeepJobs,
    token: string,
    fetchNext: boolean,
  ): Promise<Finished> {
    if (returnValue != null || removeOnComplete != null || this.workerOptions.removeOnComplete != null || !job.id)
      return super.moveToCompleted(job, returnValue, removeOnComplete, token, fetchNext);
    const finishedOn = Math.floor(timeOfDay.nowMs());
    this.held.push({ jobId: job.id, token, finishedOn });
    if (!fetchNext || this.isEmpty || this.closing) {
      this.writeWithin(this.completedWithinMs);
      return { result: fetchNext ? this.none() : undefined, finishedOn };
    }
    return { result: await this.claimNext(token), finishedOn };
  }

  override async moveToFailed(...args: Parameters<PostgresQueueBackend['moveToFailed']>): Promise<Finished> {
    this.wakeUps++;
    return super.moveToFailed(...args);
  }

  override async moveStalledJobsToWait(): Promise<string[]> {
    const { maxStalledCount = 1, stalledInterval = 30_000 } = this.workerOptions;
    const stalled = { maxStalledCount, everyMs: stalledInterval };
    return recoverStalledJobs(this.connection.pool, this.queueName, stalled, timeOfDay.nowMs());
  }

  override async extendLock(jobId: string, token: string, lockMs: number): Promise<number> {
    return (await this.extendLocks([jobId], [token], lockMs)).length === 0 ? 1 : 0;
  }

  override async extendLocks(ids: string[], tokens: string[], lockMs: number): Promise<string[]> {
    return extendJobLocks(this.connection.pool, this.queueName, { ids, tokens, lockMs }, timeOfDay.nowMs());
  }

  override async moveToDelayed(...args: Parameters<PostgresQueueBackend['moveToDelayed']>): Promise<void | unknown[]> {
    this.wakeUps++;
    return super.moveToDelayed(...args);
  }

  /**
   * Resolves at the first wake-up, at the next retry, or after `blockTimeout` seconds. The worker then asks for a job.
   */
  override async waitForJob(blockTimeout: number): Promise<{ member: string; score: number } | null> {
    if (this.closing || this.isInterrupted) return null;
    this.listen();
    if (this.isEmpty) {
      await new Promise<void>((resolve) => {
        const untilRetry = this.nextDelay > 0 ? this.nextDelay - timeOfDay.nowMs() : Infinity;
        const timer = setTimeout(() => this.wakeUp(), Math.max(0, Math.min(blockTimeout * 1_000, untilRetry)));
        this.endWait = () => {
          clearTimeout(timer);
          this.endWait = null;
          resolve();
        };
      });
    }
    return this.closing || this.isInterrupted ? null : { member: this.queueName, score: 0 };
  }

  override async disconnectBlocking(wait?: boolean): Promise<void> {
    this.isInterrupted = true;
    this.wakeUp();
    await super.disconnectBlocking(wait);
  }

  override async reconnectBlocking(): Promise<void> {
    this.isInterrupted = false;
    this.wakeUp();
    await super.reconnectBlocking();
  }

  override async disconnect(): Promise<void> {
    this.stopListening();
    this.wakeUp();
    await super.disconnect();
  }

  override async close(force = false): Promise<void> {
    if (!this.closing) await this.writeHeld();
    this.stopListening();
    this.wakeUp();
    await super.close(force);
  }

  /** Writes the held completions. A failure is logged, and they are written again later. */
  async writeHeld(): Promise<void> {
    if (this.writeTimer) clearTimeout(this.writeTimer);
    this.writeTimer = null;
    const completions = this.takeHeld();
    if (completions.length === 0) return;
    try {
      await completeJobs(this.connection.pool, this.queueName, completions);
      // A queue with a limit may give another job now.
      if (this.isRefused) this.wakeUp();
    } catch (error) {
      this.keep(completions, error);
    }
  }

  private get isEmpty(): boolean {
    const isRetryDue = this.nextDelay > 0 && this.nextDelay <= timeOfDay.nowMs();
    return this.emptyAsOf === this.wakeUps && !isRetryDue;
  }

  private get workerOptions(): Partial<RunWorkerOptions> {
    return this.opts as Partial<RunWorkerOptions>;
  }

  private none(): NextJob {
    return [null, '', 0, this.nextDelay];
  }

  /** A claim that fails must not fail the job that was just completed. The worker asks for the next job by itself. */
  private async claimNext(token: string): Promise<NextJob> {
    try {
      return await this.claim(token, this.workerOptions.name);
    } catch (error) {
      this.logger.warn(`The next job could not be fetched, will try again: ${String(error)}`);
      return this.none();
    }
  }

  /**
   * Claims the next job. A claim that follows a completion does not load the runs of its job: the worker is busy then and
   * loads the runs of many jobs at once.
   */
  private async claim(token: string, workerName: string | undefined, withRuns?: ClaimedRuns): Promise<NextJob> {
    const asOf = this.wakeUps;
    const completions = this.takeHeld();
    try {
      const { job, more, nextDelay, isBullMqs } = await this.claimOne(token, workerName, completions, withRuns);
      if (isBullMqs) return await this.claimAsBullMq(token, workerName, asOf);
      if (!more) this.emptyAsOf = asOf;
      this.isRefused = false;
      if (!job) this.nextDelay = nextDelay;
      return job ? [jobJson(job), job.id, 0, 0] : this.none();
    } catch (error) {
      this.keep(completions, error);
      return rethrowLater(error);
    }
  }

  private async claimOne(
    token: string,
    name: string | undefined,
    completions: Completion[],
    withRuns?: ClaimedRuns,
  ): Promise<Claimed> {
    const { lockDuration = 30_000 } = this.workerOptions;
    const by = { token, lockMs: lockDuration, now: Math.floor(timeOfDay.nowMs()), workerName: name ?? null };
    if (!withRuns?.pool) return claimJob(this.connection.pool, this.queueName, by, completions);
    const loadedAt = performance.now();
    const claimed = await claimJob(withRuns.pool, this.queueName, by, completions, withRuns.toLoad());
    withRuns.keep(claimed.runs, loadedAt);
    return claimed;
  }

  /**
   * Claims by BullMQ's own function: for a queue that is paused or limited, and for retries that are due. A job that it
   * refuses now may become ready later without a notification.
   */
  private async claimAsBullMq(token: string, name: string | undefined, asOf: number): Promise<NextJob> {
    const [job, id, limitedFor, delayUntil] = (await super.moveToActive(token, name)) as NextJob;
    if (job) return [job, id, 0, 0];
    this.emptyAsOf = asOf;
    this.isRefused = true;
    this.nextDelay = delayUntil;
    return [null, '', limitedFor, delayUntil];
  }

  private takeHeld(): Completion[] {
    const completions = this.held;
    this.held = [];
    return completions;
  }

  /** Keeps the completions for another try. They may be written already; writing them again changes nothing. */
  private keep(completions: Completion[], error: unknown): void {
    if (completions.length === 0) return;
    this.logger.warn(`${completions.length} jobs could not be completed, will try again: ${String(error)}`);
    this.held = [...completions, ...this.held];
    if (!this.closing) this.writeWithin(TRY_AGAIN_MS);
  }

  private writeWithin(ms: number): void {
    this.writeTimer ??= setTimeout(() => void this.writeHeld(), ms);
  }

  private listen(): void {
    if (this.isListening) return;
    this.isListening = true;
    this.queueConnection.listening.on(JOBS_CHANNEL, this.onNotice);
    this.wakeUps++; // jobs may have been announced before the connection listened
  }

  private stopListening(): void {
    if (this.isListening) this.queueConnection.listening.off(JOBS_CHANNEL, this.onNotice);
    this.isListening = false;
  }

  /** The payload is null when announcements may have been missed. */
  private readonly onNotice = (queueName: string | null): void => {
    if (queueName === null || queueName === this.queueName) this.wakeUp();
  };

  private wakeUp(): void {
    this.wakeUps++;
    this.endWait?.();
  }
}

/** The worker asks again at once after an error that is not about its connection, so the error is delayed. */
async function rethrowLater(error: unknown): Promise<never> {
  await sleep(TRY_AGAIN_MS);
  throw error;
}

/** Replaces BullMQ's own factory for PostgreSQL. */
export const createLeanPostgresBackend: BackendFactory = (name, opts) => {
  const { queueStore } = opts.connection as { queueStore: QueueSettings };
  return new LeanPostgresBackend(new QueueConnection(queueStore), name, opts as never);
};

/** A plain job needs none of BullMQ's features that `addJobs` leaves out. */
const isPlain = ({ job, jobId, parentKeyOpts }: Entries[number]): boolean =>
  jobId !== '' &&
  !job.delay &&
  !job.opts?.delay &&
  !job.opts?.lifo &&
  !job.repeatJobKey &&
  !job.deduplicationId &&
  !job.parent &&
  !parentKeyOpts?.parentKey;

function jobJson(row: JobRow): JobJson {
  return {
    id: row.id,
    name: row.name,
    data: row.data,
    opts: row.opts ?? {},
    progress: 0,
    attemptsMade: row.attempts_made,
    attemptsStarted: row.attempts_started,
    timestamp: Number(row.added_at_ms),
    delay: Number(row.delay_ms),
    priority: row.priority,
    failedReason: row.failed_reason ?? undefined,
    stacktrace: JSON.stringify(row.stacktrace ?? []),
    returnvalue: 'null',
    deferredFailure: row.deferred_failure ?? undefined,
    processedOn: row.processed_at_ms === null ? undefined : Number(row.processed_at_ms),
    processedBy: row.processed_by ?? undefined,
    stalledCounter: row.stalled_count,
  } as JobJson;
}
