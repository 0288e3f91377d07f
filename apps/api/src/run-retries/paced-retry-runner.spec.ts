import {
  type BulkRuns,
  type ClaimedRetry,
  type FlowRunFilter,
  type FlowRunStatus,
  type PacedRetries,
  type RetryUnderWay,
} from '@millrace/domain';
import { aRetryUnderWay } from '@millrace/domain/testing';
import { Logger } from '@nestjs/common';
import { PacedRetryRunner } from './paced-retry-runner';
import type { OneOfMany, RetriesOfMany } from './retries-of-many';

const RUNS = Array.from({ length: 7 }, (_, i) => `0000000${i}-0000-7000-8000-000000000000`);
const NEWER = 'ffffffff-0000-7000-8000-000000000000';

/** A store of one paced retry, whose runs end as the test says. */
class OneRetry {
  /** The number of the claim; a save under another one is refused. */
  epoch = 0;
  saved: RetryUnderWay[] = [];
  claims: (ClaimedRetry | null)[];
  released = 0;
  readonly statuses = new Map<string, FlowRunStatus>();

  constructor(retry: RetryUnderWay) {
    this.claims = [{ epoch: 1, retry }];
  }

  readonly port = {
    claim: () => {
      const claim = this.claims.shift() ?? null;
      if (claim) this.epoch = claim.epoch;
      return Promise.resolve(claim);
    },
    save: ({ epoch }: ClaimedRetry, retry: RetryUnderWay) => {
      if (epoch !== this.epoch) return Promise.resolve(false);
      this.saved.push(retry);
      return Promise.resolve(true);
    },
    release: () => {
      this.released++;
      return Promise.resolve();
    },
    statusesOf: () => Promise.resolve(this.statuses),
  } as Partial<PacedRetries> as PacedRetries;

  get last(): RetryUnderWay | undefined {
    return this.saved.at(-1);
  }
}

describe('PacedRetryRunner', () => {
  let store: OneRetry;
  let started: OneOfMany[];
  let trouble: Error | null;
  let unfit: string[];
  let endAs: (index: number) => FlowRunStatus;
  let runner: PacedRetryRunner;

  const begin = (more: Partial<RetryUnderWay> = {}) => {
    store = new OneRetry(aRetryUnderWay({ id: RUNS[6] as string, ratePerSecond: 2, ...more }));
    const find = ({ flowRunIds }: FlowRunFilter, afterId: string | null, limit: number) =>
      Promise.resolve(
        (flowRunIds ?? [...RUNS.slice(0, 5), NEWER]).filter((id) => id > (afterId ?? '')).slice(0, limit),
      );
    const retry = (one: OneOfMany) => {
      if (trouble) return Promise.reject(trouble);
      if (unfit.includes(one.runId)) return Promise.resolve(null);
      const retryId = `retry of ${one.runId}`;
      started.push(one);
      store.statuses.set(retryId, endAs(started.length - 1));
      return Promise.resolve(retryId);
    };
    runner = new PacedRetryRunner(
      store.port,
      { find } as Partial<BulkRuns> as BulkRuns,
      { retry } as Partial<RetriesOfMany> as RetriesOfMany,
    );
    runner.onApplicationBootstrap();
  };
  const seconds = (count: number) => jest.advanceTimersByTimeAsync(count * 1_000);
  const startedRuns = () => started.map(({ runId }) => runId);

  beforeEach(() => {
    jest.useFakeTimers();
    [started, trouble, unfit] = [[], null, []];
    endAs = () => 'SUCCEEDED';
  });
  afterEach(async () => {
    await runner.onApplicationShutdown();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('starts as many retries each second as it may, and none of a newer run', async () => {
    begin();
    await seconds(0);
    expect(startedRuns()).toEqual(RUNS.slice(0, 2));
    await seconds(1);
    expect(startedRuns()).toEqual(RUNS.slice(0, 4));
    await seconds(2);
    expect(startedRuns()).toEqual(RUNS.slice(0, 5));
    expect(store.last).toMatchObject({ status: 'DONE', started: 5, succeeded: 5, failed: 0 });
    await seconds(60);
    expect(startedRuns()).toHaveLength(5);
  });

  it('retries runs that are named, also when they are newer', async () => {
    begin({ filter: { projectId: 'p', flowRunIds: [NEWER] } });
    await seconds(2);
    expect(startedRuns()).toEqual([NEWER]);
  });

  it('stops when so many retries have failed', async () => {
    endAs = (index) => (index === 1 ? 'SUCCEEDED' : 'FAILED');
    begin({ stopAfterFailures: 2 });
    await seconds(10);
    expect(startedRuns()).toHaveLength(4);
    expect(store.last).toMatchObject({ status: 'STOPPED', failed: 3, succeeded: 1 });
  });

  it('waits for its retries to end, and counts the runs that it passed over', async () => {
    endAs = () => 'RUNNING';
    unfit = RUNS.slice(0, 1);
    begin();
    await seconds(10);
    expect(store.last).toMatchObject({ status: 'RUNNING', started: 4, skipped: 1 });
    for (const id of store.statuses.keys()) store.statuses.set(id, 'SUCCEEDED');
    await seconds(1);
    expect(store.last).toMatchObject({ status: 'DONE', succeeded: 4 });
  });

  it('notes the slice before it starts anything, and starts it again under the same keys after a crash', async () => {
    begin();
    await seconds(0);
    expect(store.saved[0]).toMatchObject({ slice: RUNS.slice(0, 2), started: 0 });
    const keys = started.map(({ idempotencyKey }) => idempotencyKey);
    await runner.onApplicationShutdown();

    started = [];
    const afterCrash = store.saved[0] as RetryUnderWay;
    begin(afterCrash);
    await seconds(0);
    expect(started.map(({ idempotencyKey }) => idempotencyKey)).toEqual(keys);
    expect(store.last).toMatchObject({ started: 2, lastId: RUNS[1] });
  });

  it('gives up what was cancelled, or what another process has claimed', async () => {
    begin();
    await seconds(0);
    store.epoch = 2;
    await seconds(10);
    expect(startedRuns()).toHaveLength(2);
  });

  it('goes on after a trouble of the store', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    trouble = new Error('The database is away.');
    begin();
    await seconds(0);
    expect(store.released).toBe(1);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('The database is away.'));
    warn.mockRestore();

    trouble = null;
    store.claims = [{ epoch: 2, retry: store.last as RetryUnderWay }];
    await seconds(10);
    expect(store.last).toMatchObject({ status: 'DONE', started: 5 });
  });

  it('takes up a retry that was just made at once', async () => {
    begin();
    await seconds(10);
    store.claims = [{ epoch: 2, retry: aRetryUnderWay({ id: RUNS[6] as string }) }];
    runner.lookSoon();
    await seconds(0);
    expect(startedRuns()).toHaveLength(10);
  });

  it('lets another process go on at once when it ends', async () => {
    begin();
    await seconds(0);
    await runner.onApplicationShutdown();
    expect(store.released).toBe(1);
  });
});
