import {
  BulkRuns,
  endingOf,
  Outage,
  PacedRetries,
  retryKey,
  sliceSize,
  withOutcomes,
  withSlice,
  withStarted,
  type ClaimedRetry,
  type RetryUnderWay,
} from '@millrace/domain';
import { logOutages } from '@millrace/persistence';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import pLimit from 'p-limit';
import { matchesNothing } from '../runs/run-batches';
import { RETRIED_AT_ONCE, RetriesOfMany } from './retries-of-many';

const SECOND_MS = 1_000;
/** How often a process looks for paced retries that none works on. */
const LOOK_EVERY_MS = 5_000;
/** On how many paced retries a process works at once. All of them share what is retried at once. */
const MOST_AT_ONCE = 100;

/**
 * Works on paced retries: each second it starts the retries of a slice of runs, and counts how earlier ones have ended.
 * A claim makes sure that one process works on each; when it ends, another one goes on.
 */
@Injectable()
export class PacedRetryRunner implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(PacedRetryRunner.name);
  private readonly outage = new Outage(
    { begins: 'Paced retries cannot be looked for.', ends: 'Paced retries can be looked for again.' },
    logOutages(this.logger),
  );
  private readonly limit = pLimit(RETRIED_AT_ONCE);
  private readonly underWay = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private looking: Promise<void> | null = null;
  private nextLook: NodeJS.Timeout | undefined;

  constructor(
    private readonly pacedRetries: PacedRetries,
    private readonly bulk: BulkRuns,
    private readonly retries: RetriesOfMany,
  ) {}

  onApplicationBootstrap(): void {
    this.lookSoon();
  }

  /** Looks for a paced retry that was just made. */
  lookSoon(): void {
    if (this.stopping.signal.aborted) return;
    clearTimeout(this.nextLook);
    this.looking ??= this.look().finally(() => {
      this.looking = null;
      if (!this.stopping.signal.aborted) this.nextLook = setTimeout(() => this.lookSoon(), LOOK_EVERY_MS);
    });
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.nextLook);
    await this.looking;
    await Promise.all(this.underWay);
  }

  private async look(): Promise<void> {
    try {
      while (this.underWay.size < MOST_AT_ONCE && !this.stopping.signal.aborted) {
        const claim = await this.pacedRetries.claim();
        this.outage.succeeded();
        if (claim === null) return;
        const work = this.workOn(claim).finally(() => this.underWay.delete(work));
        this.underWay.add(work);
      }
    } catch (error) {
      this.outage.failed(error);
    }
  }

  private async workOn(claim: ClaimedRetry): Promise<void> {
    try {
      await this.toItsEnd(claim);
    } catch (error) {
      // It is tried again at the next look. A slice that was begun is begun again, and starts no run twice.
      this.logger.warn(`The paced retry ${claim.retry.id} cannot go on now: ${String(error)}`);
      await this.pacedRetries.release(claim).catch((trouble: unknown) => this.logger.warn(String(trouble)));
    }
  }

  private async toItsEnd(claim: ClaimedRetry): Promise<void> {
    let retry: RetryUnderWay | null = claim.retry;
    while (!this.stopping.signal.aborted) {
      const begun = performance.now();
      retry = await this.nextSecond(claim, retry);
      if (retry === null) return;
      await this.pause(begun + SECOND_MS - performance.now());
    }
    await this.pacedRetries.release(claim);
  }

  /** Does what is due in a second. Null when the retry has ended, was cancelled, or is another process's now. */
  private async nextSecond(claim: ClaimedRetry, before: RetryUnderWay): Promise<RetryUnderWay | null> {
    const counted = withOutcomes(before, await this.pacedRetries.statusesOf(before.unfinished));
    const status = endingOf(counted);
    if (status !== null) {
      await this.pacedRetries.save(claim, { ...counted, status });
      return null;
    }
    const begun = counted.slice.length > 0 ? counted : await this.withNextSlice(counted);
    if (begun !== counted && !(await this.pacedRetries.save(claim, begun))) return null;
    const started = begun.slice.length > 0 ? withStarted(begun, await this.start(begun)) : begun;
    return (await this.pacedRetries.save(claim, started)) ? started : null;
  }

  private async withNextSlice(retry: RetryUnderWay): Promise<RetryUnderWay> {
    const size = sliceSize(retry);
    if (size === 0 || retry.isAllFound) return retry;
    const found = matchesNothing(retry.filter) ? [] : await this.bulk.find(retry.filter, retry.lastId, size);
    const named = new Set(retry.filter.flowRunIds);
    return withSlice(
      retry,
      found.filter((runId) => runId < retry.id || named.has(runId)),
      size,
    );
  }

  /** Starts the retries of the slice. Returns their ids; runs that cannot be retried have none. */
  private async start({ id, slice, projectId, strategy, requestedBy }: RetryUnderWay): Promise<string[]> {
    const started = await Promise.all(
      slice.map((runId) =>
        this.limit(() => {
          const idempotencyKey = retryKey(`paced:${id} ${runId}`);
          return this.retries.retry({ runId, projectId, strategy, triggeredBy: requestedBy, idempotencyKey });
        }),
      ),
    );
    return started.filter((retryId) => retryId !== null);
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const { signal } = this.stopping;
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.max(0, ms));
      signal.addEventListener('abort', done, { once: true });
    });
  }
}
