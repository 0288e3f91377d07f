import { aFlowVersion } from '../../testing/a-flow-version';
import type { Elsewhere } from '../../runs/execution-slot';
import { anId } from '../../testing/an-id';
import { HandDrivenClock } from '../../testing/hand-driven-clock';
import { InMemoryPolls } from '../../testing/in-memory-polls';
import { PollRunner } from './poll-runner';
import type { PollAnswer, PollQuestion } from './poll-source';
import { POLL_SECONDS, POLL_WAIT_SECONDS } from './poll-time';
import { POLL_TURN_MS, type ClaimedPoll } from './polls';

const LIMITS = { most: 10, mostOfProject: 10, leaseMs: POLL_TURN_MS };
const MINUTE_MS = 60_000;

function setUp(everyMinutes: number | null = null) {
  const clock = new HandDrivenClock();
  const polls = new InMemoryPolls(clock);
  const [flowId, projectId] = [anId(), anId()];
  polls.enable(flowId, { projectId, flowVersionId: anId(), everyMinutes });
  let answer: (question: PollQuestion, signal: AbortSignal, elsewhere: Elsewhere) => Promise<PollAnswer>;
  const source = {
    ask: (question: PollQuestion, signal: AbortSignal, elsewhere: Elsewhere) => answer(question, signal, elsewhere),
  };
  const versions = { getVersion: () => Promise.resolve(aFlowVersion()) };
  const failures: object[] = [];
  const options = {
    everyMinutes: 5,
    now: () => clock.now(),
    newId: anId,
    random: () => 0.5,
    failed: (poll: object) => failures.push(poll),
  };
  const runner = new PollRunner(polls, versions, source, options);
  const stop = new AbortController();
  const poll = async (answering: typeof answer, afterMs = 0) => {
    clock.advance(afterMs);
    answer = answering;
    const [claim] = await polls.claimDue(LIMITS);
    return runner.run(claim as ClaimedPoll, stop.signal);
  };
  const isDueAfter = async (ms: number) => {
    clock.advance(ms);
    return (await polls.claimDue(LIMITS)).length === 1;
  };
  return { polls, flowId, projectId, poll, stop, isDueAfter, clock, failures };
}

const found = (...names: string[]): Promise<PollAnswer> =>
  Promise.resolve({ kind: 'found', source: 's', items: names.map((name) => ({ name, value: { name } })), store: {} });
const failed = (message: string, retryAfterMs?: number): Promise<PollAnswer> =>
  Promise.resolve({ kind: 'failed', message, ...(retryAfterMs !== undefined && { retryAfterMs }) });

describe('PollRunner', () => {
  it('writes what the trigger changed in the store of its flow, unless the poll failed', async () => {
    const { polls, flowId, poll } = setUp();
    const writes = [{ scope: 'FLOW' as const, key: 'last', value: 7 }];

    await poll(async () => ({ ...(await found('a')), writes }) as PollAnswer);
    await poll(() => failed('No.'), 5 * MINUTE_MS);

    expect(polls.storedBy(flowId)).toEqual(writes);
  });

  describe('with a trigger that has set its own schedule', () => {
    const DAILY = { cron: '0 9 * * *', timezone: 'UTC' };
    const scheduled = async (...names: string[]): Promise<PollAnswer> =>
      ({ ...(await found(...names)), schedule: DAILY }) as PollAnswer;
    const NINE_HOURS = 9 * 60 * MINUTE_MS;

    it('rests until the moment that the schedule names', async () => {
      const { poll, isDueAfter } = setUp();

      await poll(() => scheduled());

      expect(await isDueAfter(NINE_HOURS - 1)).toBe(false);
      expect(await isDueAfter(1)).toBe(true);
    });

    it('keeps the schedule, and starts a run for an item that is equal to another', async () => {
      const { polls, poll, isDueAfter } = setUp();
      await poll(() => scheduled('a'));
      await poll(() => found('a', 'a'), NINE_HOURS);
      await poll(() => found('a'), 24 * 60 * MINUTE_MS);

      expect(polls.runs.map(({ payload }) => payload)).toEqual(Array.from({ length: 3 }, () => '{"name":"a"}'));
      expect(await isDueAfter(24 * 60 * MINUTE_MS)).toBe(true);
    });

    it('asks nothing and rests when it comes far too early', async () => {
      const { polls, poll, isDueAfter } = setUp();

      await poll(() => Promise.resolve({ kind: 'early', untilMs: 7 * MINUTE_MS }));

      expect(polls.runs).toEqual([]);
      expect(await isDueAfter(7 * MINUTE_MS - 1)).toBe(false);
      expect(await isDueAfter(1)).toBe(true);
    });

    it('rests longer after each failure, whatever the schedule says', async () => {
      const { poll, isDueAfter } = setUp();
      await poll(() => scheduled());
      await poll(() => failed('No.'), NINE_HOURS);

      expect(await isDueAfter(5 * MINUTE_MS)).toBe(true);
    });
  });

  it('starts a run for each new item, with the item as its payload', async () => {
    const { polls, poll, clock, flowId } = setUp();
    await poll(() => found('a'));
    clock.advance(5 * MINUTE_MS);

    await poll(() => found('a', 'b'));

    expect(polls.runs).toMatchObject([
      { flowId, environment: 'PRODUCTION', triggeredBy: 'polling', triggerType: 'POLLING', payload: '{"name":"b"}' },
    ]);
  });

  it.each([
    ['its own interval', 7, 7],
    ['the interval of the installation', null, 5],
  ])('rests for %s', async (_what, everyMinutes, minutes) => {
    const { poll, isDueAfter } = setUp(everyMinutes);
    await poll(() => found());

    expect(await isDueAfter(minutes * MINUTE_MS - 1)).toBe(false);
    expect(await isDueAfter(1)).toBe(true);
  });

  it('has the files deleted that no new item and nothing in its store refers to, once the poll is settled', async () => {
    const { polls, poll } = setUp();
    const told: { runs: number; texts: string[] }[] = [];
    const withFiles =
      (...links: string[]) =>
      async (): Promise<PollAnswer> => ({
        kind: 'found',
        source: 's',
        items: links.map((link, at) => ({ value: { link }, comparedAs: at })),
        store: { last: `${links.length} in the memory` },
        writes: [{ scope: 'FLOW', key: 'last', value: `${links.length} in the store` }],
        deleteFilesUnless: async (texts) => void told.push({ runs: polls.runs.length, texts: [...texts] }),
      });
    await poll(withFiles('first'));

    await poll(withFiles('again', 'second'), 5 * MINUTE_MS);

    const [before, after] = told.map(({ texts }) => texts.join());
    expect(told.map(({ runs }) => runs)).toEqual([0, 1]);
    expect(before).not.toContain('first');
    expect(after).toContain('second');
    expect(after).not.toContain('again');
    expect(after).toContain('2 in the memory');
    expect(after).toContain('2 in the store');
  });

  it('rests longer from failure to failure, and shows the last one until it succeeds', async () => {
    const { polls, poll, isDueAfter, flowId, projectId, clock, failures } = setUp();
    await poll(() => failed('Away.'));
    clock.advance(5 * MINUTE_MS);
    await poll(() => failed('Still away.'));

    expect(polls.failureOf(flowId)).toMatchObject({ message: 'Still away.', failures: 2 });
    expect(failures).toEqual([1, 2].map((count) => ({ flowId, projectId, failures: count })));
    expect(await isDueAfter(10 * MINUTE_MS - 1)).toBe(false);
    clock.advance(LIMITS.leaseMs);
    await poll(() => found());
    expect(polls.failureOf(flowId)).toBeNull();
  });

  it('leaves the service alone as long as it asks for', async () => {
    const { poll, isDueAfter } = setUp();
    await poll(() => failed('Too many requests.', 60 * MINUTE_MS));

    expect(await isDueAfter(60 * MINUTE_MS)).toBe(false);
    expect(await isDueAfter(6 * MINUTE_MS)).toBe(true);
  });

  it('asks nothing while there is no room for runs, and then goes on as before', async () => {
    const { polls, poll, projectId, flowId, isDueAfter } = setUp(60);
    polls.refusals.set(projectId, 'The disk is nearly full.');

    await poll(() => Promise.reject(new Error('It was asked.')));

    expect(polls.failureOf(flowId)).toMatchObject({ message: 'The poll waits. The disk is nearly full.', failures: 0 });
    expect(await isDueAfter(5 * MINUTE_MS - 1)).toBe(false);
    polls.refusals.clear();
    await poll(() => found('a'), 1);
    expect(polls.failureOf(flowId)).toBeNull();
  });

  it('keeps the items that wait for their runs while there is no room for these', async () => {
    const { polls, poll, clock, projectId } = setUp();
    await poll(() => found());
    await poll(() => found(...Array.from({ length: 501 }, (_, i) => `${i}`)), 5 * MINUTE_MS);
    polls.refusals.set(projectId, 'The disk is nearly full.');
    await poll(() => found());
    expect(polls.runs).toHaveLength(500);

    polls.refusals.clear();
    clock.advance(5 * MINUTE_MS);
    await poll(() => found());

    expect(polls.runs).toHaveLength(501);
  });

  it('asks nothing while items wait for their runs', async () => {
    const { polls, poll, clock } = setUp();
    await poll(() => found());
    clock.advance(5 * MINUTE_MS);
    await poll(() => found(...Array.from({ length: 501 }, (_, i) => `${i}`)));
    expect(polls.runs).toHaveLength(500);

    await poll(() => Promise.reject(new Error('It was asked.')));

    expect(polls.runs).toHaveLength(501);
  });

  it('fails a poll that takes too long', async () => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
    try {
      const { polls, poll, flowId } = setUp();
      const polled = poll(
        (_question, signal) =>
          new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
      );
      await jest.advanceTimersByTimeAsync(POLL_SECONDS * 1_000);
      await polled;

      expect(polls.failureOf(flowId)?.message).toBe(`The poll took more than ${POLL_SECONDS} seconds.`);
    } finally {
      jest.useRealTimers();
    }
  });

  describe('whose source is asked in another process', () => {
    beforeEach(() => jest.useFakeTimers({ doNotFake: ['performance'] }));
    afterEach(() => jest.useRealTimers());

    const passes = (seconds: number, signal: AbortSignal): Promise<void> =>
      new Promise((done, failed) => {
        setTimeout(done, seconds * 1_000);
        signal.addEventListener('abort', () => failed(signal.reason as Error));
      });
    /** A poll that waits for its turn for so long, and then takes so long. */
    const polled = async ({ poll }: ReturnType<typeof setUp>, waits: number, takes: number): Promise<void> => {
      const done = poll((_question, signal, elsewhere) =>
        elsewhere(async (begun) => {
          await passes(waits, signal);
          begun();
          await passes(takes, signal);
          return found('a');
        }),
      );
      await jest.advanceTimersByTimeAsync((waits + takes) * 1_000);
      await done;
    };

    it('has its time from the moment at which its turn has come', async () => {
      const test = setUp();

      await polled(test, POLL_WAIT_SECONDS - 1, POLL_SECONDS - 1);

      expect(test.polls.failureOf(test.flowId)).toBeNull();
    });

    it('fails when it then takes too long', async () => {
      const test = setUp();

      await polled(test, 1, POLL_SECONDS + 1);

      expect(test.polls.failureOf(test.flowId)).toMatchObject({
        ...{ message: `The poll took more than ${POLL_SECONDS} seconds.`, failures: 1 },
      });
    });

    it('is due again soon when its turn has not come, which is no failure of its source', async () => {
      const test = setUp(60);
      await test.poll(() => failed('Away.'));
      test.clock.advance(61 * MINUTE_MS);

      await polled(test, POLL_WAIT_SECONDS + 1, 0);

      expect(test.polls.failureOf(test.flowId)).toMatchObject({
        message: 'The poll waits. All processes that may run packages of the project are busy.',
        failures: 1,
      });
      expect(test.failures).toHaveLength(1);
      expect(await test.isDueAfter(MINUTE_MS - 1)).toBe(false);
      expect(await test.isDueAfter(1)).toBe(true);
    });
  });

  it('rejects, and changes nothing, when the worker stops or a service of ours is away', async () => {
    const { polls, poll, stop, flowId, clock } = setUp();
    await expect(poll(() => Promise.reject(new Error('The database is away.')))).rejects.toThrow(
      'The database is away.',
    );
    clock.advance(LIMITS.leaseMs);
    const stopped = poll((_question, signal) => {
      stop.abort(new Error('The worker stops.'));
      return Promise.reject(signal.reason as Error);
    });

    await expect(stopped).rejects.toThrow('The worker stops.');
    expect(polls.failureOf(flowId)).toBeNull();
    expect(polls.runs).toEqual([]);
  });

  it('does nothing for a claim that has ended', async () => {
    const { polls, poll, flowId } = setUp();

    await poll(() => {
      polls.disable(flowId);
      return found('a');
    });

    expect(polls.runs).toEqual([]);
  });
});
