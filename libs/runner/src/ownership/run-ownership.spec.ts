import type { StepRecord } from '@millrace/domain';
import { finishRun, momentOf } from '@millrace/domain';
import {
  HandDrivenClock,
  InMemoryRunJournal,
  recordingRunEvents,
  shownRunEvents,
  type JournalledRun,
} from '@millrace/domain/testing';
import { LEASE_SECONDS } from './owned-runs';
import { RunOwnership } from './run-ownership';

const startTime = new Date('2026-01-01T00:00:00.000Z');
const step = (path: string): StepRecord => ({
  path,
  type: 'CODE',
  status: 'SUCCEEDED',
  duration: 1,
  input: '{}',
  output: '1',
});
const succeeded = finishRun(
  { kind: 'succeeded', stepsCount: 1, tags: [] },
  { startTime, finishTime: startTime, timeoutSeconds: 600 },
);

/** Leaves it unknown whether the pending segment was written. */
async function failToWrite(ownership: RunOwnership, journal: InMemoryRunJournal): Promise<void> {
  journal.before = () => Promise.reject(new Error('The database is away.'));
  await expect(ownership.durable()).rejects.toThrow('away');
  journal.before = () => Promise.resolve();
}

const pause = { startTime, stepsCount: 1, tags: [], waits: [] };
const responding = (path: string): StepRecord => ({
  ...step(path),
  effects: { response: { status: 200, headers: {}, body: path } },
});
const nextTurn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

async function setUp(run: Partial<JournalledRun> = {}) {
  const clock = new HandDrivenClock();
  const journal = new InMemoryRunJournal(clock);
  const row = journal.add({ id: 'run', ...run });
  const { events, told } = recordingRunEvents();
  const share = jest.fn((..._shared: [projectId: string, externalIds: readonly string[]]) => Promise.resolve());
  const settings = { clock, leaseSeconds: LEASE_SECONDS, events, sharing: { share } };
  const take = async () => new RunOwnership((await journal.load('run'))!, startTime, journal, settings);
  return { clock, journal, row, take, told, share };
}

describe('RunOwnership of a run that somebody watches', () => {
  const watched = async () => {
    const clock = new HandDrivenClock();
    const journal = new InMemoryRunJournal(clock);
    journal.add({ id: 'run' });
    const { events, shown, live } = shownRunEvents();
    const settings = { clock, leaseSeconds: LEASE_SECONDS, events };
    return { ownership: new RunOwnership((await journal.load('run'))!, startTime, journal, settings), shown, live };
  };

  it('shows steps as they happen, and the run after each write', async () => {
    const { ownership, shown } = await watched();

    ownership.began('a');
    ownership.record(step('a'), 1);
    await ownership.durable();
    await ownership.pause(pause);

    expect(shown).toEqual(['a RUNNING', 'a SUCCEEDED', 'run changed', 'run changed', 'run PAUSED']);
  });

  it('shows a client that begins to watch the step that is under way', async () => {
    const { ownership, shown, live } = await watched();
    live.isWatched = false;
    ownership.began('a');
    ownership.record(step('a'), 1);
    ownership.showStepUnderWay();
    ownership.began('b');

    ownership.showStepUnderWay();

    expect(shown).toEqual(['b RUNNING']);
  });

  it('shows nothing when nobody watches any longer', async () => {
    const { ownership, shown, live } = await watched();
    live.isWatched = false;

    ownership.began('a');
    ownership.record(step('a'), 1);
    await ownership.durable();

    expect(shown).toEqual([]);
  });
});

describe('RunOwnership', () => {
  it('ends a short run with one write and no claim', async () => {
    const { row, take } = await setUp();
    const ownership = await take();

    ownership.record(step('a'), 1);
    expect(await ownership.finish(succeeded)).toBe(true);

    expect(row).toMatchObject({ status: 'SUCCEEDED', epoch: 0, segments: [[{ path: 'a', output: 1 }]] });
  });

  describe('whose worker stood still', () => {
    /** The worker hears of its claim so much later, as one that was frozen meanwhile. */
    async function claimHeardAfter(ms: number, meanwhile: (clock: HandDrivenClock) => void = () => undefined) {
      const all = await setUp();
      const { clock, journal } = all;
      const ownership = await all.take();
      const claim = journal.claim.bind(journal);
      jest.spyOn(journal, 'claim').mockImplementationOnce(async (...asked) => {
        const granted = await claim(...asked);
        clock.advance(ms);
        meanwhile(clock);
        return granted;
      });
      return { ...all, ownership, renewed: jest.spyOn(journal, 'renew') };
    }

    it('begins no effect when another worker has claimed the run meanwhile', async () => {
      const { clock, journal, ownership } = await claimHeardAfter(20_000);
      journal.before = async (write) => {
        if (write === 'renew') await journal.claim({ runId: 'run', epoch: 1 }, clock.now(), LEASE_SECONDS);
      };

      await expect(ownership.durable()).rejects.toThrow('another worker');

      expect(ownership.signal.reason).toBe('claimLost');
    });

    it.each<[what: string, meanwhile: (clock: HandDrivenClock) => void]>([
      ['its clock was put back', (clock) => clock.putForward(-12_000)],
      ['its machine was suspended, so that only the time of day went on', (clock) => clock.putForward(20_000)],
    ])('asks whether the run is still its own although %s meanwhile', async (what, meanwhile) => {
      const { ownership, renewed } = await claimHeardAfter(what.includes('suspended') ? 0 : 20_000, meanwhile);

      await ownership.durable();

      expect(renewed).toHaveBeenCalledTimes(1);
    });

    it('begins its effect when the run is still its own, under a lease that is new', async () => {
      const { clock, row, ownership } = await claimHeardAfter(20_000);

      await ownership.durable();

      expect(row).toMatchObject({ epoch: 1, leaseUntil: new Date(clock.now().getTime() + LEASE_SECONDS * 1_000) });
    });

    it('asks again when it stood still while it asked', async () => {
      const { clock, ownership, renewed } = await claimHeardAfter(20_000);
      renewed.mockImplementationOnce(async () => {
        clock.advance(20_000);
        return new Set(['run']);
      });

      await ownership.durable();

      expect(renewed).toHaveBeenCalledTimes(2);
    });

    it('asks nothing when it has just heard that the run is its own', async () => {
      const { clock, ownership, renewed } = await claimHeardAfter(9_000);
      await ownership.durable();
      clock.advance(9_000);
      ownership.renewed(momentOf(clock));
      clock.advance(9_000);
      ownership.record(step('a'), 1);
      await ownership.durable();
      clock.advance(9_000);
      await ownership.durable();

      expect(renewed).not.toHaveBeenCalled();
    });
  });

  it('claims the run before anything has to be durable, and numbers its segments', async () => {
    const { row, take } = await setUp();
    const ownership = await take();

    ownership.record(step('a'), 1);
    await ownership.durable();
    ownership.record(step('b'), 1);
    await ownership.durable();
    await ownership.durable();
    ownership.record(step('c'), 1);
    await ownership.finish(succeeded);

    expect(row).toMatchObject({ epoch: 1, segments: [[{ path: 'a' }], [{ path: 'b' }], [{ path: 'c' }]] });
  });

  it('stops and writes nothing more once another owner has come', async () => {
    const { row, take } = await setUp();
    const cutOff = await take();
    await cutOff.claim();
    row.epoch++; // another worker claims the run

    cutOff.record(step('late'), 1);
    await expect(cutOff.durable()).rejects.toThrow(/another worker/);

    expect(cutOff.signal.reason).toBe('claimLost');
    expect(await cutOff.finish(succeeded)).toBe(false);
    expect(row).toMatchObject({ status: 'RUNNING', segments: [] });
  });

  it('promises nothing for a run that ended before its claim, although it was stopped first', async () => {
    const { row, take } = await setUp();
    const ownership = await take();
    row.status = 'STOPPED';
    ownership.abort('stopped');

    ownership.record(step('a'), 1);
    await expect(ownership.durable()).rejects.toThrow(/has ended/);

    expect(await ownership.finish({ ...succeeded, status: 'STOPPED' })).toBe(true);
    expect(row).toMatchObject({ status: 'STOPPED', segments: [[{ path: 'a' }]] });
  });

  it('lets one of two endings win', async () => {
    const { row, take } = await setUp();
    const [one, two] = [await take(), await take()];

    expect(await one.finish(succeeded)).toBe(true);
    expect(await two.finish({ ...succeeded, status: 'FAILED' })).toBe(false);
    expect(row.status).toBe('SUCCEEDED');
  });

  it('keeps what is done when it hands the run back', async () => {
    const { row, take } = await setUp();
    const ownership = await take();

    ownership.record(step('a'), 1);
    await ownership.release();

    expect(row).toMatchObject({ status: 'RUNNING', epoch: 2, leaseUntil: null, segments: [[{ path: 'a' }]] });
  });

  it('sends a segment again whose write failed, as it was and before what came after it', async () => {
    const { journal, row, take } = await setUp();
    const ownership = await take();
    await ownership.claim();
    ownership.record(step('a'), 1);
    await failToWrite(ownership, journal);
    ownership.record(step('b'), 1);
    await ownership.finish(succeeded);

    expect(row.segments).toMatchObject([[{ path: 'a' }], [{ path: 'b' }]]);
  });

  it('pauses with what is not saved yet, under the claim it has or none', async () => {
    const { row, take } = await setUp();
    const ownership = await take();

    ownership.record(step('a'), 1);
    expect(await ownership.pause(pause)).toBe('paused');

    expect(row).toMatchObject({ status: 'PAUSED', epoch: 1, leaseUntil: null, segments: [[{ path: 'a' }]] });
  });

  it('pauses after a segment of which nobody knows whether it was written', async () => {
    const { journal, row, take } = await setUp();
    const ownership = await take();
    await ownership.claim();
    ownership.record(step('a'), 1);
    await failToWrite(ownership, journal);

    ownership.record(step('b'), 1);
    await ownership.pause(pause);

    expect(row).toMatchObject({ status: 'PAUSED', segments: [[{ path: 'a' }], [{ path: 'b' }]] });
  });

  it('does not pause a run that another owner has', async () => {
    const { row, take } = await setUp();
    const cutOff = await take();
    row.epoch++;

    expect(await cutOff.pause(pause)).toBe('claimLost');
    await cutOff.claim();
    expect(await cutOff.pause(pause)).toBe('claimLost');
    expect(row.status).toBe('RUNNING');
  });

  it('says with each segment how many steps the run has executed', async () => {
    const { journal, take } = await setUp();
    const ownership = await take();
    const counts: number[] = [];
    const append = journal.append.bind(journal);
    journal.append = (segment) => append(segment).finally(() => counts.push(segment.stepsCount));

    ownership.record(step('a'), 1);
    ownership.record(step('b'), 2);
    await ownership.durable();
    ownership.record({ ...step('c'), status: 'RUNNING' }, 2);
    await ownership.durable();

    expect(counts).toEqual([2, 2]);
  });

  it('leaves what was done to a run that was cancelled, also when it could not be saved before', async () => {
    const { journal, row, take } = await setUp();
    const ownership = await take();
    await ownership.claim();
    ownership.record(step('a'), 1);
    journal.cancel(['run']);
    ownership.abort('stopped');
    await expect(ownership.durable()).rejects.toThrow(/has ended/);

    ownership.record({ ...step('b'), status: 'STOPPED' }, 1);
    expect(await ownership.finish({ ...succeeded, status: 'STOPPED' })).toBe(true);

    expect(row).toMatchObject({ status: 'STOPPED', segments: [[{ path: 'a' }, { path: 'b', status: 'STOPPED' }]] });
  });

  describe('of a run whose response refers to a connection', () => {
    const referring = (externalId: string): StepRecord => ({
      ...step('a'),
      effects: {
        response: { status: 200, headers: {}, body: '', references: { to: [[externalId, 'plain']], at: [[0, 0]] } },
      },
    });

    it.each([true, false])(
      'shares the connection before the response is on record (awaited: %s)',
      async (isAwaited) => {
        const { row, take, share } = await setUp({ isAwaited });
        const ownership = await take();
        share.mockImplementationOnce(() => Promise.reject(new Error('The database is away.')));
        ownership.record(referring('crm'), 1);

        await expect(ownership.durable()).rejects.toThrow('away');
        expect(row.segments).toEqual([]);
        await ownership.durable();
        ownership.record(step('b'), 2);
        await ownership.finish(succeeded);

        expect(row.segments).toMatchObject([[{ path: 'a' }], [{ path: 'b' }]]);
        expect(share.mock.calls).toEqual(Array(2).fill([ownership.run.projectId, ['crm']]));
      },
    );

    it('shares it when the run ends with the response', async () => {
      const { row, take, share } = await setUp({ isAwaited: true });
      const ownership = await take();
      share.mockImplementationOnce(async () => ownership.record(referring('late'), 2));
      ownership.record(referring('crm'), 1);

      await ownership.finish(succeeded);

      expect(row.segments).toMatchObject([[{ path: 'a' }, { path: 'a' }]]);
      expect(share.mock.calls.map(([, names]) => names)).toEqual([['crm'], ['crm', 'late']]);
    });

    it('shares nothing that only the parent of the run gets', async () => {
      const { take, share } = await setUp({ parentRunId: 'parent' });
      const ownership = await take();
      ownership.record(referring('crm'), 1);

      await ownership.finish(succeeded);

      expect(share).not.toHaveBeenCalled();
    });
  });

  describe('of a run whose response somebody waits for', () => {
    it('saves and announces a response at once, while the run goes on', async () => {
      const { row, take, told } = await setUp({ isAwaited: true });
      const ownership = await take();

      ownership.record(responding('a'), 1);
      await nextTurn();

      expect(row.segments).toMatchObject([[{ path: 'a' }]]);
      expect(told).toEqual(['answer of run: a']);
      expect(ownership.untoldResponse).toBeNull();
    });

    it('writes once when the run ends with the response', async () => {
      const { row, take, told } = await setUp({ isAwaited: true });
      const ownership = await take();

      ownership.record(responding('a'), 1);
      await ownership.finish(succeeded);
      await nextTurn();

      expect(row).toMatchObject({ status: 'SUCCEEDED', epoch: 0, segments: [[{ path: 'a' }]] });
      expect(told).toEqual([]); // the ending publishes the response
    });

    it('announces nothing that is not saved', async () => {
      const { journal, take, told } = await setUp({ isAwaited: true });
      const ownership = await take();
      journal.before = () => Promise.reject(new Error('The database is away.'));

      ownership.record(responding('a'), 1);
      await nextTurn();

      expect(told).toEqual([]);
      expect(ownership.untoldResponse).toMatchObject({ body: 'a' });
    });

    it('announces a response when a later write saves it', async () => {
      const { journal, row, take, told } = await setUp({ isAwaited: true });
      const ownership = await take();
      journal.before = () => Promise.reject(new Error('The database is away.'));
      ownership.record(responding('a'), 1);
      await nextTurn();

      journal.before = () => Promise.resolve();
      await ownership.durable();

      expect(row.segments).toMatchObject([[{ path: 'a' }]]);
      expect(told).toEqual(['answer of run: a']);
    });

    it('announces a response that is saved as the run is handed back', async () => {
      const { take, told } = await setUp({ isAwaited: true });
      const ownership = await take();

      ownership.record(responding('a'), 1);
      await ownership.release();

      expect(told).toEqual(['answer of run: a']);
    });

    it.each([
      ['in one turn', () => Promise.resolve()],
      ['one after the other', nextTurn],
    ])('announces the first of two responses alone, recorded %s', async (_, between) => {
      const { take, told } = await setUp({ isAwaited: true });
      const ownership = await take();

      ownership.record(responding('a'), 1);
      await between();
      ownership.record(responding('b'), 1);
      await nextTurn();

      expect(told).toEqual(['answer of run: a']);
    });

    it('announces no response after one that an earlier worker recorded', async () => {
      const { take, told } = await setUp({ isAwaited: true, segments: [[responding('a')]] });
      const ownership = await take();

      ownership.record(responding('b'), 1);
      await nextTurn();

      expect(told).toEqual([]);
    });

    it('leaves what it has not announced to the ending', async () => {
      const { take, told } = await setUp({ isAwaited: true });
      const ownership = await take();

      ownership.record(responding('a'), 1);
      const saved = ownership.durable();
      const paused = ownership.pause(pause);
      await Promise.all([saved, paused]);

      expect(told).toEqual([]);
      expect(ownership.untoldResponse).toMatchObject({ body: 'a' });
    });

    it('announces nothing when nobody waits', async () => {
      const { row, take, told } = await setUp();
      const ownership = await take();

      ownership.record(responding('a'), 1);
      await nextTurn();

      expect(row.segments).toEqual([]);
      expect(told).toEqual([]);
    });
  });
});
