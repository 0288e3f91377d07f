import { Logger } from '@nestjs/common';
import { HandDrivenClock, InMemoryRunJournal, recordingRunEvents } from '@millrace/domain/testing';
import { OwnedRuns } from './owned-runs';

const TICK_MS = 250;

async function setUp(timeoutSeconds = 600, timeCountsFrom: Date | null = null) {
  jest.useFakeTimers();
  const [clock, ofStore] = [new HandDrivenClock(), new HandDrivenClock()];
  const journal = new InMemoryRunJournal(ofStore);
  const row = journal.add({ id: 'run', timeCountsFrom, startTime: timeCountsFrom && new Date(0) });
  const owned = new OwnedRuns(journal, { clock, timeoutSeconds, events: recordingRunEvents().events });
  const ownership = owned.take((await journal.load('run'))!);
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += TICK_MS) {
      for (const each of [clock, ofStore]) each.advance(TICK_MS);
      await jest.advanceTimersByTimeAsync(TICK_MS);
    }
  };
  return { clock, ofStore, journal, row, owned, ownership, pass };
}

beforeAll(() => Logger.overrideLogger(false));

describe('OwnedRuns', () => {
  afterEach(() => jest.useRealTimers());

  it('claims a run that has lasted a second, and none before', async () => {
    const { row, pass } = await setUp();

    await pass(750);
    expect(row.epoch).toBe(0);
    await pass(500);
    expect(row).toMatchObject({ epoch: 1, leaseUntil: expect.any(Date) });
  });

  it('saves what is done every second and keeps the lease alive', async () => {
    const { row, ofStore, ownership, pass } = await setUp();
    await pass(1_000);

    ownership.record({ path: 'a', type: 'CODE', status: 'SUCCEEDED', duration: 1, input: '{}', output: '1' }, 1);
    await pass(30_000);

    expect(row.segments).toMatchObject([[{ path: 'a' }]]);
    expect(row.leaseUntil!.getTime()).toBeGreaterThan(ofStore.now().getTime());
  });

  it('spares an effect the question whether the run is still its own, while it keeps the lease', async () => {
    const { journal, ownership, pass } = await setUp();
    await pass(29_750);
    const asked = jest.spyOn(journal, 'renew');

    await ownership.durable();

    expect(asked).not.toHaveBeenCalled();
  });

  it('keeps the lease alive and saves what is done after its clock was put back', async () => {
    const { row, clock, ofStore, ownership, pass } = await setUp();
    await pass(6_000);
    clock.putForward(-3_600_000);

    await pass(250);
    row.leaseUntil = ofStore.now();
    ownership.record({ path: 'a', type: 'CODE', status: 'SUCCEEDED', duration: 1, input: '{}', output: '1' }, 1);
    await pass(6_000);

    expect(row.segments).toMatchObject([[{ path: 'a' }]]);
    expect(row.leaseUntil.getTime()).toBeGreaterThan(ofStore.now().getTime());
  });

  it.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])('ends a run neither early nor late whose clock is put %s meanwhile', async (_, ms) => {
    const { clock, ownership, pass } = await setUp(5);
    await pass(2_000);

    clock.putForward(ms);
    await pass(2_750);
    expect(ownership.signal.aborted).toBe(false);
    await pass(500);

    expect(ownership.signal.reason).toBe('timedOut');
  });

  it.each([
    ['ahead of', 3_600_000],
    ['behind', -3_600_000],
  ])(
    'gives a run that another worker began the rest of its time, with a clock that is %s that of the store',
    async (_, ms) => {
      const { clock, ofStore, journal, owned, pass } = await setUp(5);
      clock.putForward(ms);
      const began = new Date(ofStore.now().getTime() - 3_000);
      journal.add({ id: 'begun', epoch: 2, startTime: began, timeCountsFrom: began });
      const begun = owned.take((await journal.load('begun'))!);
      await owned.claim(begun);

      await pass(1_750);
      expect(begun.signal.aborted).toBe(false);
      await pass(500);

      expect(begun.signal.reason).toBe('timedOut');
    },
  );

  it('ends a run whose time is over', async () => {
    const { ownership, pass } = await setUp(5);

    await pass(4_750);
    expect(ownership.signal.aborted).toBe(false);
    await pass(500);
    expect(ownership.signal.reason).toBe('timedOut');
  });

  it('stops a run whose lease could not be kept because another worker has claimed it', async () => {
    const { row, ownership, pass } = await setUp();
    await pass(1_000);

    row.epoch++;
    await pass(6_000);

    expect(ownership.signal.reason).toBe('claimLost');
  });

  it('goes on when the database is away for a while', async () => {
    const { journal, row, ownership, pass } = await setUp();
    journal.before = () => Promise.reject(new Error('The database is away.'));
    await pass(5_000);
    expect(ownership.signal.aborted).toBe(false);

    journal.before = () => Promise.resolve();
    await pass(1_000);

    expect(row.epoch).toBe(1);
  });

  it('interrupts all runs at once when told to', async () => {
    const { owned, ownership } = await setUp();

    owned.interruptAll();

    expect(ownership.signal.reason).toBe('shutdown');
  });

  it('takes a run that comes after that only to hand it back', async () => {
    const { journal, owned } = await setUp();
    owned.interruptAll();

    const late = owned.take((await journal.load('run'))!);

    expect(late.signal.reason).toBe('shutdown');
    owned.drop(late);
  });

  it('does not count the time that a run was paused', async () => {
    const { ownership, pass } = await setUp(5, new Date('2025-12-31T23:59:58.000Z'));

    await pass(2_750);
    expect(ownership.signal.aborted).toBe(false);
    await pass(500);
    expect(ownership.signal.reason).toBe('timedOut');
  });

  it('gives a run that was begun before the time that its claim takes', async () => {
    const { ofStore, journal, owned, pass } = await setUp(5);
    journal.add({ id: 'begun', epoch: 2, startTime: ofStore.now() });
    const begun = owned.take((await journal.load('begun'))!);
    let letClaim = (): void => undefined;
    const claiming = new Promise<void>((resolve) => (letClaim = resolve));
    journal.before = (write) => (write === 'claim' ? claiming : Promise.resolve());

    const claimed = owned.claim(begun);
    await pass(6_000);
    expect(begun.signal.aborted).toBe(false);
    letClaim();
    await claimed;
    await pass(4_750);
    expect(begun.signal.aborted).toBe(false);
    await pass(500);
    expect(begun.signal.reason).toBe('timedOut');
  });

  it('stops the runs that were ended from outside, and no others', async () => {
    const { owned, ownership } = await setUp();

    owned.stop(['another']);
    expect(ownership.signal.aborted).toBe(false);
    owned.stop(['another', 'run']);

    expect(ownership.signal.reason).toBe('stopped');
  });

  it('looks at once which runs are still its own when it may have missed such a notice', async () => {
    const { journal, owned, ownership, pass } = await setUp();
    await pass(1_250);
    journal.cancel(['run']);

    owned.stop(null);
    await jest.advanceTimersByTimeAsync(0);

    expect(ownership.signal.reason).toBe('claimLost');
  });

  describe('of a claim that was lost while the worker stood still', () => {
    const lostToAnother = async () => {
      const all = await setUp();
      await all.pass(1_000);
      for (const each of [all.clock, all.ofStore]) each.advance(45_000);
      expect(await all.journal.claim({ runId: 'run', epoch: 1 }, all.ofStore.now(), 15)).toBe(2);
      expect(all.row.workerDeaths).toBe(1);
      return all;
    };

    it('says that it lives: no worker was lost with the run', async () => {
      const { row, owned, ownership, pass } = await lostToAnother();
      await pass(250);
      expect(ownership.signal.reason).toBe('claimLost');

      owned.drop(ownership);
      await pass(250);

      expect(row).toMatchObject({ workerDeaths: 0, epoch: 2, status: 'RUNNING', leaseUntil: expect.any(Date) });
    });

    it('says so until it was heard, and once', async () => {
      const { journal, row, owned, ownership, pass } = await lostToAnother();
      const told = jest.spyOn(journal, 'disown');
      journal.before = () => Promise.reject(new Error('The database is away.'));
      owned.drop(ownership);
      await pass(1_000);
      expect(row.workerDeaths).toBe(1);

      journal.before = () => Promise.resolve();
      await pass(60_000);

      expect(row.workerDeaths).toBe(0);
      expect(told.mock.calls).toMatchObject([[[{ runId: 'run', epoch: 1 }]], [[{ runId: 'run', epoch: 1 }]]]);
    });

    it('has nothing to say of a run that it gave up itself', async () => {
      const { journal, owned, ownership, pass } = await setUp();
      const told = jest.spyOn(journal, 'disown');
      await pass(1_000);
      await ownership.release();

      owned.drop(ownership);
      await pass(1_000);

      expect(told).not.toHaveBeenCalled();
    });
  });
});
