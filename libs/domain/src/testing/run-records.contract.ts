import { anEnding, aPause, aWait } from './a-run';
import { anId } from './an-id';
import {
  acceptedRun,
  claimedRun,
  doneStep,
  EXPIRED,
  LEASE,
  loadedRun,
  LOST_CLAIMS,
  recordedPaths,
  STARTED,
  storedRun,
  takenOverRun,
  type JournalUnderTest,
} from './journal-under-test';

const LATER = new Date('2026-01-01T00:00:05.000Z');

/** The promises of every journal about what the owner of a run writes. */
export function describeRunRecords(name: string, subject: () => JournalUnderTest): void {
  describe(`records and endings of runs: ${name}`, () => {
    let at: JournalUnderTest;

    beforeEach(() => {
      at = subject();
    });

    const claim = (runId: string, epoch: number, leaseSeconds = LEASE) =>
      at.journal.claim({ runId, epoch }, STARTED, leaseSeconds);
    const append = (runId: string, epoch: number, seq: number, paths: readonly string[], stepsCount = 1) =>
      at.journal.append({ runId, epoch, seq, records: paths.map(doneStep), stepsCount });
    const finish = (runId: string, epoch: number, more: Parameters<typeof anEnding>[1] = {}) =>
      at.journal.finish(anEnding(runId, { epoch, ...more }));

    describe('an append', () => {
      it('is read in the order of the segments, in whatever order they were written', async () => {
        const runId = await claimedRun(at);

        const written = await Promise.all([append(runId, 1, 1, ['c']), append(runId, 1, 0, ['a', 'b'])]);

        expect(written).toEqual([true, true]);
        expect(await recordedPaths(at, runId)).toEqual(['a', 'b', 'c']);
        expect((await loadedRun(at, runId)).nextSegment).toBe(2);
      });

      it('is continued by the worker that takes the run over', async () => {
        const runId = await claimedRun(at);
        await append(runId, 1, 0, ['a']);
        await at.journal.release({ runId, epoch: 1 });
        await claim(runId, 2);

        expect(await append(runId, 3, (await loadedRun(at, runId)).nextSegment, ['b'])).toBe(true);

        expect(await recordedPaths(at, runId)).toEqual(['a', 'b']);
      });

      it('leaves the same records when it is repeated', async () => {
        const runId = await claimedRun(at);
        await append(runId, 1, 0, ['a']);
        await append(runId, 1, 1, ['b']);

        expect(await append(runId, 1, 1, ['b'])).toBe(true);

        expect(await recordedPaths(at, runId)).toEqual(['a', 'b']);
      });

      it('counts the steps of the run while it executes', async () => {
        const runId = await claimedRun(at);

        await append(runId, 1, 0, ['a', 'b'], 2);
        expect(await at.rowOf(runId)).toMatchObject({ stepsCount: 2 });
        await Promise.all([append(runId, 1, 1, ['c'], 3), append(runId, 1, 2, ['d'], 4)]);

        expect(await at.rowOf(runId)).toMatchObject({ stepsCount: 4 });
      });

      it('renews an expired lease, so that no worker claims the run without the segment', async () => {
        const runId = await claimedRun(at, {}, EXPIRED);

        expect(await append(runId, 1, 0, ['a'])).toBe(true);

        expect(await claim(runId, 1)).toBeNull();
      });

      it.each(LOST_CLAIMS)('is refused when %s', async (_, losing) => {
        const runId = await losing(at);
        const before = await storedRun(at, runId);

        expect(await append(runId, 1, 0, ['late'])).toBe(false);

        expect(await storedRun(at, runId)).toEqual(before);
      });

      it('is refused when nobody has claimed the run', async () => {
        const runId = await acceptedRun(at);

        expect(await append(runId, 0, 0, ['a'])).toBe(false);

        expect(await recordedPaths(at, runId)).toEqual([]);
      });

      it('is taken from the owner and refused to a former owner that writes at the same time', async () => {
        const runId = await takenOverRun(at);

        const written = await Promise.all([append(runId, 1, 0, ['late']), append(runId, 2, 0, ['owner'])]);

        expect(written).toEqual([false, true]);
        expect(await recordedPaths(at, runId)).toEqual(['owner']);
      });
    });

    describe('an ending', () => {
      it('is written with the last segment, and ends the lease', async () => {
        const runId = await claimedRun(at);
        await append(runId, 1, 0, ['a']);
        const records = [doneStep('b')];

        const ending = { status: 'FAILED', seq: 1, records, stepsCount: 2, statusReason: 'Why.', tags: ['x'] } as const;
        expect(await finish(runId, 1, { ...ending, startTime: LATER })).toBe(true);

        const row = { status: 'FAILED', stepsCount: 2, statusReason: 'Why.', tags: ['x'] };
        expect(await at.rowOf(runId)).toMatchObject(row);
        expect(await loadedRun(at, runId)).toMatchObject({ status: 'FAILED', isLeased: false, startTime: STARTED });
        expect(await recordedPaths(at, runId)).toEqual(['a', 'b']);
      });

      it('is taken once, whatever comes after it', async () => {
        const runId = await claimedRun(at);
        await finish(runId, 1);
        const before = await storedRun(at, runId);

        for (const status of ['SUCCEEDED', 'FAILED', 'TIMEOUT', 'STOPPED', 'INTERNAL_ERROR'] as const)
          expect(await finish(runId, 1, { status, seq: 1, statusReason: 'Late.', tags: ['late'] })).toBe(false);

        expect(await storedRun(at, runId)).toEqual(before);
      });

      it('is taken once of two that come at the same time', async () => {
        const runId = await claimedRun(at);

        const taken = await Promise.all([finish(runId, 1), finish(runId, 1, { status: 'STOPPED', seq: 5 })]);

        expect(taken).toEqual([true, false]);
        expect(await at.rowOf(runId)).toMatchObject({ status: 'SUCCEEDED' });
        expect(await recordedPaths(at, runId)).toEqual(['step_1']);
      });

      it('as STOPPED may be repeated by its worker, and leaves the same state', async () => {
        const runId = await claimedRun(at);
        const ending = { status: 'STOPPED', statusReason: 'Why.', tags: ['x'] } as const;
        expect(await finish(runId, 1, ending)).toBe(true);

        expect(await finish(runId, 1, ending)).toBe(true);

        expect(await at.rowOf(runId)).toMatchObject({ ...ending, stepsCount: 1 });
        expect(await recordedPaths(at, runId)).toEqual(['step_1']);
      });

      it.each(LOST_CLAIMS)('is refused when %s', async (_, losing) => {
        const runId = await losing(at);
        const before = await storedRun(at, runId);

        expect(await finish(runId, 1, { status: 'FAILED', tags: ['late'] })).toBe(false);

        expect(await storedRun(at, runId)).toEqual(before);
      });

      it('needs no claim while nobody has claimed the run, and is refused after that', async () => {
        const [unclaimed, claimed] = [await acceptedRun(at), await claimedRun(at)];

        expect(await finish(unclaimed, 0, { startTime: LATER })).toBe(true);
        expect(await finish(claimed, 0)).toBe(false);
        expect(await finish(anId(), 0)).toBe(false);

        expect(await loadedRun(at, unclaimed)).toMatchObject({ status: 'SUCCEEDED', startTime: LATER });
        expect(await loadedRun(at, claimed)).toMatchObject({ status: 'RUNNING', recorded: [] });
      });

      it('without tags keeps the tags of an earlier pause', async () => {
        const runId = await claimedRun(at);
        await at.journal.pause(aPause(runId, [aWait('a')], { tags: ['x'] }));
        await at.waits.endDue(1_000);
        await claim(runId, 2);
        await at.journal.pause(aPause(runId, [aWait('b')], { epoch: 3, seq: 1 }));
        await at.waits.endDue(1_000);
        expect(await at.rowOf(runId)).toMatchObject({ tags: ['x'] });

        await finish(runId, 4, { seq: 2 });

        expect(await at.rowOf(runId)).toMatchObject({ tags: ['x'] });
      });
    });
  });
}
