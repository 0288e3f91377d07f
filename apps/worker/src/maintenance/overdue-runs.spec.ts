import { Logger } from '@nestjs/common';
import type { UnfinishedRuns } from '@millrace/domain';
import { HandDrivenClock, InMemoryRunJournal } from '@millrace/domain/testing';
import { OverdueRuns } from './overdue-runs';

const TIMEOUT_SECONDS = 600;

function setUp() {
  const clock = new HandDrivenClock();
  const journal = new InMemoryRunJournal(clock);
  const findOverdue = jest.fn((startedBefore: Date) =>
    Promise.resolve(
      [...journal.runs.values()].filter(
        ({ startTime, status }) => status === 'RUNNING' && startTime && startTime < startedBefore,
      ),
    ),
  );
  const overdue = new OverdueRuns({ findOverdue } as unknown as UnfinishedRuns, journal, clock, TIMEOUT_SECONDS);
  return { clock, journal, overdue };
}

beforeAll(() => Logger.overrideLogger(false));

describe('OverdueRuns', () => {
  it('ends a run whose time is over, whatever became of its worker', async () => {
    const { clock, journal, overdue } = setUp();
    const row = journal.add({ id: 'run', epoch: 2, startTime: clock.now() });

    clock.advance(TIMEOUT_SECONDS * 1_000 + 11_000);
    await overdue.perform();

    expect(row.ending).toMatchObject({
      status: 'TIMEOUT',
      epoch: 2,
      startTime: row.startTime,
      finishTime: clock.now(),
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
    await overdue.perform();

    expect(row.ending?.tags).toEqual(['vip', 'new']);
  });

  it('leaves its worker some seconds to end it itself', async () => {
    const { clock, journal, overdue } = setUp();
    const row = journal.add({ id: 'run', epoch: 1, startTime: clock.now() });

    clock.advance(TIMEOUT_SECONDS * 1_000 + 5_000);
    await overdue.perform();

    expect(row.status).toBe('RUNNING');
  });

  it('changes nothing of a run that another worker claimed meanwhile', async () => {
    const { clock, journal, overdue } = setUp();
    const row = journal.add({ id: 'run', epoch: 1, startTime: clock.now() });
    journal.before = (write) => {
      if (write === 'finish') row.epoch = 2;
      return Promise.resolve();
    };

    clock.advance(TIMEOUT_SECONDS * 1_000 + 11_000);
    await overdue.perform();

    expect(row.status).toBe('RUNNING');
  });
});
