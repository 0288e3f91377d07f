import { Logger } from '@nestjs/common';
import { DRAIN_MS } from '@millrace/http';
import { RunAnswers, RunNotices, type RunAnswer, type RunListener } from '@millrace/domain';
import { AWAITED_RUNS_LIMITS, AwaitedRuns, type AwaitedRunsLimits } from './awaited-runs';

class HandDrivenNotices extends RunNotices {
  listeners: RunListener[] = [];
  override listen(listener: RunListener): void {
    this.listeners.push(listener);
  }
  override announceAnswered(runId: string, answer: RunAnswer): Promise<void> {
    this.tell(runId, answer);
    return Promise.resolve();
  }
  /** Sends a run event without the answer. `null` means that run events may have been missed. */
  tell(runId: string | null, answer: RunAnswer | null = null): void {
    for (const listener of this.listeners) listener.answered?.(runId, answer);
  }
}

class KnownAnswers extends RunAnswers {
  readonly known = new Map<string, RunAnswer>();
  readonly reads: string[][] = [];
  asked = 0;
  isAway = false;
  override async read(runIds: readonly string[]): Promise<ReadonlyMap<string, RunAnswer>> {
    if (this.isAway) throw new Error('The database is away.');
    this.reads.push([...runIds]);
    return new Map([...this.known].filter(([runId]) => runIds.includes(runId)));
  }
  override async projectOf(): Promise<string | null> {
    return null;
  }
  override async ended(runIds: readonly string[]): Promise<string[]> {
    this.asked++;
    return runIds.filter((runId) => this.known.get(runId)?.status === 'SUCCEEDED');
  }
}

const RESPONSE = { status: 201, headers: {}, body: 'done' };
const RESPONDED: RunAnswer = { status: 'RUNNING', response: RESPONSE };
const SUCCEEDED: RunAnswer = { status: 'SUCCEEDED', response: null };
const LONG = 60_000;

function setUp(limits: Partial<AwaitedRunsLimits> = {}) {
  const notices = new HandDrivenNotices();
  const answers = new KnownAnswers();
  const awaited = new AwaitedRuns(answers, notices, { mostWaiting: 3, askEveryMs: 1_000, drainMs: 5_000, ...limits });
  return { notices, answers, awaited };
}

beforeAll(() => Logger.overrideLogger(false));

describe('AwaitedRuns', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  it('gives an announced response to everybody who waits for the run, while the run goes on', async () => {
    const { awaited, answers, notices } = setUp();
    const waiters = [awaited.wait('a', LONG), awaited.wait('a', LONG)];
    answers.known.set('a', RESPONDED);

    notices.tell('a');

    expect(await Promise.all(waiters.map(({ answer }) => answer))).toEqual([RESPONDED, RESPONDED]);
  });

  it('reads nothing when the notice brings the response', async () => {
    const { awaited, answers, notices } = setUp();
    const waiter = awaited.wait('a', LONG);

    await notices.announceAnswered('a', RESPONDED);

    expect(await waiter.answer).toEqual(RESPONDED);
    expect(answers.reads).toEqual([]);
  });

  it('reads the response of a run that goes on again within a second when the database was away', async () => {
    const { awaited, answers, notices } = setUp();
    const waiter = awaited.wait('a', LONG);
    answers.known.set('a', RESPONDED);
    answers.isAway = true;
    notices.tell('a');
    await new Promise(setImmediate);

    answers.isAway = false;
    await jest.advanceTimersByTimeAsync(1_000);
    await new Promise(setImmediate);

    expect(await waiter.answer).toEqual(RESPONDED);
  });

  it('reads what is announced together at once, and nothing that nobody waits for', async () => {
    const { awaited, answers, notices } = setUp();
    const waiters = ['a', 'b'].map((runId) => awaited.wait(runId, LONG));
    for (const runId of ['a', 'b', 'strange']) answers.known.set(runId, SUCCEEDED);

    for (const runId of ['a', 'strange', 'b']) notices.tell(runId);
    await Promise.all(waiters.map(({ answer }) => answer));

    expect(answers.reads).toEqual([['a', 'b']]);
  });

  it('gives no response for an accepted run that is there no more, because its request had no items', async () => {
    const { awaited } = setUp();
    const waiter = awaited.wait('a', LONG);

    awaited.askNow('a');

    expect(await waiter.answer).toEqual(SUCCEEDED);
  });

  it('waits for a run that is announced before it can be read', async () => {
    const { awaited, answers, notices } = setUp();
    const waiter = awaited.wait('a', LONG);
    notices.tell('a');
    await new Promise(setImmediate);
    answers.known.set('a', SUCCEEDED);
    notices.tell('a');

    expect(await waiter.answer).toEqual(SUCCEEDED);
    expect(answers.reads).toHaveLength(2);
  });

  it('goes on waiting when what was announced is no answer yet', async () => {
    const { awaited, answers, notices } = setUp();
    const waiter = awaited.wait('a', LONG);
    answers.known.set('a', { status: 'RUNNING', response: null });
    notices.tell('a');
    await new Promise(setImmediate);

    answers.known.set('a', SUCCEEDED);
    notices.tell('a');

    expect(await waiter.answer).toEqual(SUCCEEDED);
  });

  it('finds a run whose notice was lost within a second', async () => {
    const { awaited, answers } = setUp();
    const waiter = awaited.wait('a', LONG);
    answers.known.set('a', SUCCEEDED);

    await jest.advanceTimersByTimeAsync(1_000);

    expect(await waiter.answer).toEqual(SUCCEEDED);
  });

  it('looks again for all of them when notices may have been missed', async () => {
    const { awaited, answers, notices } = setUp();
    const waiters = ['a', 'b'].map((runId) => awaited.wait(runId, LONG));
    for (const runId of ['a', 'b']) answers.known.set(runId, RESPONDED);

    notices.tell(null);

    expect(await Promise.all(waiters.map(({ answer }) => answer))).toEqual([RESPONDED, RESPONDED]);
  });

  it('gives up after the time-out, and asks nothing more when nobody waits', async () => {
    const { awaited, answers } = setUp();
    const waiter = awaited.wait('a', 2_500);

    await jest.advanceTimersByTimeAsync(2_500);
    expect(await waiter.answer).toBeNull();
    const asked = answers.asked;
    await jest.advanceTimersByTimeAsync(10_000);

    expect(asked).toBe(2);
    expect(answers.asked).toBe(asked);
  });

  it('has no room for more than its bound, and room again when somebody left', () => {
    const { awaited } = setUp({ mostWaiting: 1 });
    const waiter = awaited.wait('a', LONG);

    expect(() => awaited.assertRoom()).toThrow('Too many requests are waiting');
    waiter.leave();
    expect(() => awaited.assertRoom()).not.toThrow();
  });

  it('gives those who wait their answers until shortly before the process has to be gone', async () => {
    const { awaited, answers, notices } = setUp(AWAITED_RUNS_LIMITS);
    const waiter = awaited.wait('a', LONG);
    const stopped = awaited.beforeApplicationShutdown();

    await jest.advanceTimersByTimeAsync(DRAIN_MS - 4_000);
    answers.known.set('a', RESPONDED);
    notices.tell('a');

    expect(await waiter.answer).toEqual(RESPONDED);
    await stopped;
  });

  it('stops at once when nobody waits, and else after its drain time', async () => {
    await setUp().awaited.beforeApplicationShutdown();
    const { awaited } = setUp();
    const waiter = awaited.wait('a', LONG);

    const stopped = awaited.beforeApplicationShutdown();
    await jest.advanceTimersByTimeAsync(5_000);

    expect(await waiter.answer).toBeNull();
    await stopped;
  });

  it('lets a request that was still being read at the stop wait for what is left of the drain time', async () => {
    const { awaited } = setUp();
    await awaited.beforeApplicationShutdown();
    await jest.advanceTimersByTimeAsync(2_000);

    expect(() => awaited.assertRoom()).not.toThrow();
    const waiter = awaited.wait('a', LONG);
    await jest.advanceTimersByTimeAsync(3_000);

    expect(await waiter.answer).toBeNull();
  });
});
