import { aPause, aWait } from './a-run';
import { anId } from './an-id';
import {
  acceptedRun,
  cancelledRun,
  claimedRun,
  doneStep,
  endedRun,
  EXPIRED,
  LEASE,
  loadedRun,
  LOST_CLAIMS,
  pausedRun,
  recordedPaths,
  releasedRun,
  STARTED,
  storedRun,
  takenOverRun,
  type JournalUnderTest,
} from './journal-under-test';

const LATER = new Date('2026-01-01T00:00:05.000Z');

/** The promises of every journal about who owns a run. */
export function describeRunClaims(name: string, subject: () => JournalUnderTest): void {
  describe(`claims of runs: ${name}`, () => {
    let at: JournalUnderTest;

    beforeEach(() => {
      at = subject();
    });

    const claim = (runId: string, epoch: number, leaseSeconds = LEASE) =>
      at.journal.claim({ runId, epoch }, STARTED, leaseSeconds);
    describe('a claim', () => {
      it('gives the run to the worker in the next epoch, and sets the start of the run once', async () => {
        const runId = await acceptedRun(at);

        expect(await claim(runId, 0, EXPIRED)).toBe(1);
        expect(await at.journal.claim({ runId, epoch: 1 }, LATER, LEASE)).toBe(2);

        expect(await loadedRun(at, runId)).toMatchObject({ epoch: 2, startTime: STARTED, isLeased: true });
      });

      it('does not begin the run without a start, which a later claim sets', async () => {
        const runId = await acceptedRun(at);

        expect(await at.journal.claim({ runId, epoch: 0 }, null, EXPIRED)).toBe(1);
        expect(await loadedRun(at, runId)).toMatchObject({ epoch: 1, startTime: null, timeUsedMs: null });
        expect(await claim(runId, 1)).toBe(2);

        expect(await loadedRun(at, runId)).toMatchObject({ startTime: STARTED, workerDeaths: 1 });
      });

      it('is refused while the lease of the owner lives, to the owner as well', async () => {
        const runId = await claimedRun(at);

        expect(await claim(runId, 0)).toBeNull();
        expect(await claim(runId, 1)).toBeNull();
      });

      it('takes the run over when the lease has expired, and is refused to those who come later', async () => {
        const runId = await claimedRun(at, {}, EXPIRED);
        expect((await loadedRun(at, runId)).isLeased).toBe(false);

        expect(await claim(runId, 1)).toBe(2);
        expect(await claim(runId, 1)).toBeNull();
        expect(await claim(runId, 2)).toBeNull();
      });

      it('is given after a release, but not to a worker that loaded the run before the release', async () => {
        const runId = await releasedRun(at);

        expect(await claim(runId, 1)).toBeNull();
        expect(await claim(runId, 2)).toBe(3);
      });

      it('is refused for a run that waits, for one that has ended, and for one that does not exist', async () => {
        const [paused, ended, cancelled] = [await pausedRun(at), await endedRun(at), await cancelledRun(at)];

        expect(await claim(paused, 2)).toBeNull();
        expect(await claim(ended, 1)).toBeNull();
        expect(await claim(cancelled, 1)).toBeNull();
        expect(await claim(anId(), 0)).toBeNull();
      });

      it('goes to one of many workers that ask at the same time', async () => {
        const runId = await acceptedRun(at);

        const epochs = await Promise.all(Array.from({ length: 10 }, () => claim(runId, 0)));

        expect(epochs.filter((epoch) => epoch === 1)).toHaveLength(1);
        expect(epochs.filter((epoch) => epoch === null)).toHaveLength(9);
      });
    });

    describe('a renewal', () => {
      it('extends the lease, also one that has expired, while no other worker has claimed the run', async () => {
        const [living, expired] = [await claimedRun(at), await claimedRun(at, {}, EXPIRED)];
        const claims = [living, expired].map((runId) => ({ runId, epoch: 1 }));

        expect(await at.journal.renew(claims, LEASE)).toEqual(new Set([living, expired]));
        expect(await at.journal.renew(claims, LEASE)).toEqual(new Set([living, expired]));

        for (const runId of [living, expired]) expect(await claim(runId, 1)).toBeNull();
        expect(await loadedRun(at, expired)).toMatchObject({ epoch: 1, isLeased: true, workerDeaths: 0 });
      });

      it.each(LOST_CLAIMS)('is refused when %s, and renews the other runs', async (_, losing) => {
        const [lost, kept] = [await losing(at), await claimedRun(at)];
        const before = await storedRun(at, lost);

        const renewed = await at.journal.renew(
          [lost, kept].map((runId) => ({ runId, epoch: 1 })),
          LEASE,
        );

        expect(renewed).toEqual(new Set([kept]));
        expect(await storedRun(at, lost)).toEqual(before);
      });

      it('is refused for a run that nobody has claimed, and of no claims renews none', async () => {
        const runId = await acceptedRun(at);

        expect(await at.journal.renew([{ runId, epoch: 0 }], LEASE)).toEqual(new Set());
        expect(await at.journal.renew([{ runId: anId(), epoch: 1 }], LEASE)).toEqual(new Set());
        expect(await at.journal.renew([], LEASE)).toEqual(new Set());
        expect(await claim(runId, 0)).toBe(1);
      });
    });

    describe('a release', () => {
      it('keeps what was written', async () => {
        const runId = await claimedRun(at);
        await at.journal.append({ runId, epoch: 1, seq: 0, records: [doneStep('a')], stepsCount: 1 });

        expect(await at.journal.release({ runId, epoch: 1 })).toBe(true);

        expect(await loadedRun(at, runId)).toMatchObject({ status: 'RUNNING', epoch: 2, isLeased: false });
        expect(await recordedPaths(at, runId)).toEqual(['a']);
      });

      it.each(LOST_CLAIMS)('is refused when %s', async (_, losing) => {
        const runId = await losing(at);
        const before = await storedRun(at, runId);

        expect(await at.journal.release({ runId, epoch: 1 })).toBe(false);

        expect(await storedRun(at, runId)).toEqual(before);
      });
    });

    describe('a lost worker', () => {
      it('does not count any more when the run has come to a pause', async () => {
        const runId = await takenOverRun(at);
        expect((await loadedRun(at, runId)).workerDeaths).toBe(1);

        await at.journal.pause(aPause(runId, [aWait('a')], { epoch: 2 }));

        expect((await loadedRun(at, runId)).workerDeaths).toBe(0);
      });

      it('is counted when its lease has expired, and not when it has released the run', async () => {
        const [lost, released] = [await claimedRun(at, {}, EXPIRED), await claimedRun(at)];
        await at.journal.release({ runId: released, epoch: 1 });
        expect((await loadedRun(at, lost)).workerDeaths).toBe(1);

        await claim(lost, 1);
        await claim(released, 2);

        expect((await loadedRun(at, lost)).workerDeaths).toBe(1);
        expect((await loadedRun(at, released)).workerDeaths).toBe(0);
      });

      it('is not counted when it lives, and says so', async () => {
        const [taken, free, other] = [
          await takenOverRun(at),
          await claimedRun(at, {}, EXPIRED),
          await takenOverRun(at),
        ];

        await at.journal.disown([taken, free].map((runId) => ({ runId, epoch: 1 })));

        expect(await loadedRun(at, taken)).toMatchObject({ workerDeaths: 0, epoch: 2, isLeased: true });
        expect(await loadedRun(at, free)).toMatchObject({ workerDeaths: 0, epoch: 2, isLeased: false });
        expect(await loadedRun(at, other)).toMatchObject({ workerDeaths: 1, epoch: 2, isLeased: true });
      });

      it('is not counted in a run that has ended before its lease expires', async () => {
        const runId = await claimedRun(at, {}, EXPIRED);
        await at.cancel(runId);

        expect((await loadedRun(at, runId)).workerDeaths).toBe(0);
      });

      it('changes nothing of a run that it has released, or that has ended', async () => {
        const [released, cancelled] = [await claimedRun(at), await claimedRun(at)];
        await at.journal.release({ runId: released, epoch: 1 });
        await at.cancel(cancelled);

        await at.journal.disown([released, cancelled].map((runId) => ({ runId, epoch: 1 })));

        expect(await loadedRun(at, released)).toMatchObject({ workerDeaths: 0, epoch: 2, status: 'RUNNING' });
        expect(await loadedRun(at, cancelled)).toMatchObject({ workerDeaths: 0, epoch: 1, status: 'STOPPED' });
      });
    });
  });
}
