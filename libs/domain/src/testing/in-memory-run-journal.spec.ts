import { aPause, aPausedRecord, aWait } from './a-run';
import { anId } from './an-id';
import { HandDrivenClock } from './hand-driven-clock';
import { InMemoryJobQueue } from './in-memory-job-queue';
import { InMemoryRunFamilies } from './in-memory-run-families';
import { InMemoryRunJournal, type JournalledRun } from './in-memory-run-journal';
import { InMemoryRunWaits } from './in-memory-run-waits';
import { describeRunJournal } from './run-journal.contract';

const clock = new HandDrivenClock();
const queue = new InMemoryJobQueue();
const journal = new InMemoryRunJournal(clock, queue);

describeRunJournal('in memory', () => ({
  journal,
  waits: new InMemoryRunWaits(journal),
  families: new InMemoryRunFamilies(journal),
  queue,
  accept: async (run) => {
    journal.accept(run);
  },
  cancel: async (runId) => journal.cancel([runId]),
  rowOf: async (runId) => rowOf(journal.runs.get(runId)),
  now: () => clock.now(),
  letPass: async (runId, ms) => letPass(journal.runs.get(runId), ms),
}));

function rowOf(run: JournalledRun | undefined) {
  if (!run) throw new Error('There is no such run.');
  const { requests: _, segments: __, ...row } = run;
  return structuredClone(row);
}

function letPass(run: JournalledRun | undefined, ms: number): void {
  const earlier = (moment: Date | null): Date | null => moment && new Date(moment.getTime() - ms);
  if (!run) throw new Error('There is no such run.');
  Object.assign(run, { timeCountsFrom: earlier(run.timeCountsFrom), pausedAt: earlier(run.pausedAt) });
  for (const request of run.requests.values()) request.due = earlier(request.due);
}

describe('the journal in memory', () => {
  const segment = { epoch: 1, seq: 0, records: [aPausedRecord('step_1', 'request')] };

  it('renews a lapsed lease with a segment, so that nobody who loaded the run before claims it without', async () => {
    const { id: runId } = journal.add({ id: anId() });
    await journal.claim({ runId, epoch: 0 }, clock.now(), 15);
    clock.advance(16_000);

    expect(await journal.append({ stepsCount: 1, runId, ...segment })).toBe(true);
    expect(await journal.claim({ runId, epoch: 1 }, clock.now(), 15)).toBeNull();
  });

  it('counts no time that a run waits in the queue after its pause', async () => {
    const { id: runId, requests } = journal.add({ id: anId() });
    await journal.claim({ runId, epoch: 0 }, clock.now(), 15);
    const wait = aWait('a', { until: clock.now() });
    await journal.pause(aPause(runId, [wait], { epoch: 1 }));
    clock.advance(60_000);
    await new InMemoryRunWaits(journal).endDue(100);
    expect(requests.get('a')?.ended).toBe(true);
    clock.advance(3_600_000);

    await journal.claim({ runId, epoch: 2 }, clock.now(), 15);
    clock.advance(1_000);

    expect((await journal.load(runId))?.timeUsedMs).toBe(1_000);
  });

  it('renews no lease that was given back', async () => {
    const { id: runId } = journal.add({ id: anId() });
    await journal.claim({ runId, epoch: 0 }, clock.now(), 15);
    await journal.release({ runId, epoch: 1 });

    expect(await journal.renew([{ runId, epoch: 1 }], 15)).toEqual(new Set());
  });
});
