import { ServiceUnavailableError } from '../errors/service-unavailable.error';
import type { RecordedStep } from '../journal/step-record';
import type { UnfinishedRuns } from '../runs/unfinished-runs';
import { HandDrivenClock } from '../testing/hand-driven-clock';
import { HELD, lostAfter } from '../testing/held-lease';
import { InMemoryRunJournal, type JournalledRun } from '../testing/in-memory-run-journal';
import { recordingRunEvents } from '../testing/recording-run-events';
import { OverdueRuns } from './overdue-runs';

const TIMEOUT_SECONDS = 600;

function setUp() {
  const clock = new HandDrivenClock();
  const journal = new InMemoryRunJournal(clock);
  const findOverdue = jest.fn((timeMs: number) =>
    Promise.resolve(
      [...journal.runs.values()]
        .filter(
          ({ startTime, status }) =>
            status === 'RUNNING' && startTime && Number(clock.now()) - Number(startTime) > timeMs,
        )
        .slice(0, 200),
    ),
  );
  const { events, told } = recordingRunEvents();
  const runs = { findOverdue } as unknown as UnfinishedRuns;
  const ofLeader = new HandDrivenClock();
  const overdue = new OverdueRuns(runs, journal, events, ofLeader, TIMEOUT_SECONDS);
  return { ofLeader, clock, journal, overdue, findOverdue, told };
}

describe('OverdueRuns', () => {
  it('ends a run whose time is over, whatever became of its worker', async () => {
    const { clock, ofLeader, journal, overdue } = setUp();
    const row = journal.add({ id: 'run', epoch: 2, startTime: clock.now() });

    clock.advance(TIMEOUT_SECONDS * 1_000 + 11_000);
    await overdue.perform(HELD);

    expect(row.ending).toMatchObject({
      status: 'TIMEOUT',
      epoch: 2,
      startTime: row.startTime,
      finishTime: ofLeader.now(),
      statusReason: 'The run exceeded its time limit of 600 s.',
    });
  });

  it('keeps the tags that its steps added, each once', async () => {
    const { clock, journal, overdue } = setUp();
    const tagged = (path: string, tags: string[]) =>
      ({ path, type: 'ACTION', status: 'SUCCEEDED', duration: 1, effects: { tags } }) as const;
    const segments = [[tagged('one', ['vip', 'new'])], [tagged('two', ['vip'])]];
    const row = journal.add({ id: 'run', epoch: 1, startTime: clock.now(), segments });

    clock.advance(TIMEOUT_SECONDS * 1_000 + 11_000);
    await overdue.perform(HELD);

    expect(row.ending?.tags).toEqual(['vip', 'new']);
  });

  it('leaves its worker some seconds to end it itself', async () => {
    const { clock, journal, overdue } = setUp();
    const row = journal.add({ id: 'run', epoch: 1, startTime: clock.now() });

    clock.advance(TIMEOUT_SECONDS * 1_000 + 5_000);
    await overdue.perform(HELD);

    expect(row.status).toBe('RUNNING');
  });

  it('ends a run that is claimed again and again meanwhile', async () => {
    const { clock, journal, overdue } = setUp();
    const row = journal.add({ id: 'run', epoch: 1, startTime: clock.now() });
    journal.before = (write) => {
      if (write === 'finish' && row.epoch < 4) row.epoch++;
      return Promise.resolve();
    };

    clock.advance(TIMEOUT_SECONDS * 1_000 + 11_000);
    await overdue.perform(HELD);

    expect(row.ending).toMatchObject({ status: 'TIMEOUT', epoch: 4 });
  });

  it('leaves a run for the next turn that is always faster', async () => {
    const { clock, journal, overdue } = setUp();
    const row = journal.add({ id: 'run', epoch: 1, startTime: clock.now() });
    journal.before = (write) => {
      if (write === 'finish') row.epoch++;
      return Promise.resolve();
    };

    clock.advance(TIMEOUT_SECONDS * 1_000 + 11_000);
    await overdue.perform(HELD);

    expect(row).toMatchObject({ status: 'RUNNING', epoch: 6 });
  });

  it.each<[what: string, change: Partial<JournalledRun>]>([
    ['has ended', { status: 'SUCCEEDED' }],
    ['waits', { status: 'PAUSED' }],
    ['has waited, and has time again', { timeCountsFrom: new Date(Date.now() + 86_400_000_000) }],
  ])('changes nothing of a run that %s by then', async (_what, change) => {
    const { clock, journal, overdue } = setUp();
    const row = journal.add({ id: 'run', epoch: 1, startTime: clock.now() });
    journal.before = (write) => {
      if (write === 'load') Object.assign(row, change);
      return Promise.resolve();
    };

    clock.advance(TIMEOUT_SECONDS * 1_000 + 11_000);
    await overdue.perform(HELD);

    expect(row.ending).toBeNull();
    expect(row).toMatchObject(change);
  });

  it('ends no run whose time is not over, however far ahead the clock of the leader is', async () => {
    const { clock, ofLeader, journal, overdue } = setUp();
    const row = journal.add({ id: 'run', epoch: 1, startTime: clock.now() });
    ofLeader.putForward(24 * 3_600_000);

    clock.advance(3_000);
    await overdue.perform(HELD);

    expect(row.status).toBe('RUNNING');
  });

  it('ends a run whose time is over, however far behind the clock of the leader is', async () => {
    const { clock, ofLeader, journal, overdue } = setUp();
    const row = journal.add({ id: 'run', epoch: 1, startTime: clock.now() });
    ofLeader.putForward(-24 * 3_600_000);

    clock.advance(TIMEOUT_SECONDS * 1_000 + 11_000);
    await overdue.perform(HELD);

    expect(row.status).toBe('TIMEOUT');
  });

  it('has the records of one run in memory at a time', async () => {
    const { clock, journal, overdue } = setUp();
    for (let n = 0; n < 3; n++) journal.add({ id: `run-${n}`, startTime: clock.now() });
    const calls: string[] = [];
    journal.before = (call) => {
      calls.push(call);
      return Promise.resolve();
    };

    clock.advance(TIMEOUT_SECONDS * 1_000 + 11_000);
    await overdue.perform(HELD);

    expect(calls.filter((call) => call !== 'loadHead')).toEqual(['load', 'finish', 'load', 'finish', 'load', 'finish']);
  });

  it('counts a step once, and only when it ended or waits', async () => {
    const { clock, journal, overdue } = setUp();
    const record = (path: string, status: RecordedStep['status']): RecordedStep => ({
      path,
      type: 'ACTION',
      status,
      duration: 1,
    });
    const segments = [
      [record('a', 'SUCCEEDED'), record('b', 'PAUSED')],
      [record('b', 'FAILED'), record('c', 'RUNNING')],
    ];
    const row = journal.add({ id: 'run', epoch: 1, startTime: clock.now(), segments });

    clock.advance(TIMEOUT_SECONDS * 1_000 + 11_000);
    await overdue.perform(HELD);

    expect(row.ending?.stepsCount).toBe(2);
  });

  it('tells who waits for a run that it has ended', async () => {
    const { clock, journal, overdue, told } = setUp();
    const effects = { response: { status: 200, headers: {}, body: 'made' } };
    const segments = [[{ path: 'a', type: 'ACTION', status: 'SUCCEEDED', duration: 1, effects } as const]];
    journal.add({ id: 'run', epoch: 1, startTime: clock.now(), parentRunId: 'above', isAwaited: true, segments });

    clock.advance(TIMEOUT_SECONDS * 1_000 + 11_000);
    await overdue.perform(HELD);

    expect(told).toEqual(['answer of run: made', 'parent of run']);
  });

  it('ends no further run after its process has lost the leader lease', async () => {
    const { clock, journal, overdue } = setUp();
    for (let n = 0; n < 3; n++) journal.add({ id: `run-${n}`, startTime: clock.now() });

    clock.advance(TIMEOUT_SECONDS * 1_000 + 11_000);
    await overdue.perform(lostAfter(2));

    expect([...journal.runs.values()].map(({ status }) => status)).toEqual(['TIMEOUT', 'RUNNING', 'RUNNING']);
  });

  it('ends runs that cannot be read, and their neighbours as if they were not there', async () => {
    const { clock, journal, overdue, told } = setUp();
    const startTime = clock.now();
    const broken = journal.add({ id: 'a', epoch: 1, startTime, unreadable: 'broken', parentRunId: 'above' });
    const newer = journal.add({ id: 'b', epoch: 1, startTime, unreadable: 'newer' });
    const sound = journal.add({ id: 'c', epoch: 1, startTime });

    clock.advance(TIMEOUT_SECONDS * 1_000 + 11_000);
    await overdue.perform(HELD);

    expect(broken.ending).toMatchObject({
      status: 'INTERNAL_ERROR',
      statusReason: 'What the run did so far can no longer be read, so it cannot go on.',
    });
    expect([newer.ending?.status, sound.ending?.status]).toEqual(['TIMEOUT', 'TIMEOUT']);
    expect(told).toEqual(['parent of a']);
  });

  it('ends a run that cannot be loaded in time, by its row alone, and its neighbours as always', async () => {
    const { clock, journal, overdue } = setUp();
    const segments = [[{ path: 'a', type: 'ACTION', status: 'SUCCEEDED', duration: 1 } as const]];
    const rows = ['a', 'b'].map((id) => journal.add({ id, epoch: 1, startTime: clock.now(), segments }));
    const load = journal.load.bind(journal);
    journal.load = (id) =>
      id === 'a' ? Promise.reject(new ServiceUnavailableError('It took too long.', 5)) : load(id);

    clock.advance(TIMEOUT_SECONDS * 1_000 + 11_000);
    await overdue.perform(HELD);

    expect(rows.map(({ ending }) => [ending?.status, ending?.stepsCount])).toEqual([
      ['TIMEOUT', 0],
      ['TIMEOUT', 1],
    ]);
  });

  it('ends a run that may be deadly to load by its row alone', async () => {
    const { clock, journal, overdue } = setUp();
    const segments = [[{ path: 'a', type: 'ACTION', status: 'SUCCEEDED', duration: 1 } as const]];
    const row = journal.add({ id: 'a', epoch: 2, startTime: clock.now(), segments, workerDeaths: 2 });
    const load = jest.spyOn(journal, 'load');

    clock.advance(TIMEOUT_SECONDS * 1_000 + 11_000);
    await overdue.perform(HELD);

    expect(row.ending).toMatchObject({ status: 'TIMEOUT', stepsCount: 0 });
    expect(load).not.toHaveBeenCalled();
  });

  it('ends nothing by its row alone when the store was away for a moment, or is away', async () => {
    const { clock, journal, overdue } = setUp();
    const segments = [[{ path: 'a', type: 'ACTION', status: 'SUCCEEDED', duration: 1 } as const]];
    const row = journal.add({ id: 'a', epoch: 1, startTime: clock.now(), segments });
    const away = () => Promise.reject(new ServiceUnavailableError('The database is away.', 5));
    let failures = 3;
    journal.before = (call) => (call.startsWith('load') && failures-- > 0 ? away() : Promise.resolve());

    clock.advance(TIMEOUT_SECONDS * 1_000 + 11_000);
    await expect(overdue.perform(HELD)).rejects.toThrow('away');
    expect(row.ending).toBeNull();
    failures = 1;
    await overdue.perform(HELD);

    expect(row.ending).toMatchObject({ status: 'TIMEOUT', stepsCount: 1 });
  });

  it.each([
    ['has locked', new ServiceUnavailableError('The statement took too long.', 5)],
    ['has broken', new Error('No such thing.')],
  ])('ends the others beside a run that somebody %s, and says that it failed', async (_what, failure) => {
    const { clock, journal, overdue } = setUp();
    const rows = ['a', 'b', 'c'].map((id) => journal.add({ id, epoch: 1, startTime: clock.now() }));
    const finish = journal.finish.bind(journal);
    journal.finish = (ending) => (ending.runId === 'b' ? Promise.reject(failure) : finish(ending));

    clock.advance(TIMEOUT_SECONDS * 1_000 + 11_000);
    await expect(overdue.perform(HELD)).rejects.toBe(failure);

    expect(rows.map(({ status }) => status)).toEqual(['TIMEOUT', 'RUNNING', 'TIMEOUT']);
  });

  it('asks a store that is away for no more than three runs in a turn', async () => {
    const { clock, journal, overdue } = setUp();
    for (let n = 0; n < 50; n++) journal.add({ id: `run-${n}`, epoch: 1, startTime: clock.now() });
    const finish = jest.fn(() => Promise.reject(new ServiceUnavailableError('The database is away.', 5)));
    journal.finish = finish;

    clock.advance(TIMEOUT_SECONDS * 1_000 + 11_000);
    await expect(overdue.perform(HELD)).rejects.toThrow('away');

    expect(finish).toHaveBeenCalledTimes(3);
  });

  it('goes on until none is overdue', async () => {
    const { clock, journal, overdue, findOverdue } = setUp();
    for (let n = 0; n < 450; n++) journal.add({ id: `run-${n}`, startTime: clock.now() });

    clock.advance(TIMEOUT_SECONDS * 1_000 + 11_000);
    await overdue.perform(HELD);

    expect([...journal.runs.values()].filter(({ status }) => status === 'RUNNING')).toEqual([]);
    expect(findOverdue).toHaveBeenCalledTimes(3);
  });
});
