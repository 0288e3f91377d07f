import { aNewFile, anId, HandDrivenClock, InMemoryFileStore, sharedBy } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { dropOldRuns } from '../runs/run-retention';
import { RunRetention } from './run-retention';

jest.mock('../runs/run-retention', () => ({ dropOldRuns: jest.fn(() => Promise.resolve()) }));

const DAY_MS = 86_400_000;
const pool = {} as Pool;

describe('RunRetention', () => {
  beforeEach(() => jest.mocked(dropOldRuns).mockClear());

  it('drops the runs that are older than so many days, after their files', async () => {
    const clock = new HandDrivenClock();
    const files = new InMemoryFileStore();
    const ofRunAt = (daysAgo: number) => aNewFile({ runId: anId(new Date(clock.now().getTime() - daysAgo * DAY_MS)) });
    const [old, young] = [ofRunAt(91), ofRunAt(89)];
    for (const file of [old, young]) await files.write(file, [Buffer.from('hello')]);
    jest.mocked(dropOldRuns).mockImplementationOnce(async () => {
      expect(await files.find(old.id, 'any')).toBeNull();
      return { months: 1, runs: 2 };
    });

    const told = await new RunRetention(pool, files, sharedBy(clock), 90).perform();

    expect(told).toBe('1 months of old runs, and 2 older ones, were deleted.');
    expect(jest.mocked(dropOldRuns).mock.calls).toEqual([[pool, new Date(clock.now().getTime() - 90 * DAY_MS)]]);
    expect(await files.find(young.id, 'any')).not.toBeNull();
  });

  it('drops nothing without a number of days', async () => {
    await new RunRetention(pool, new InMemoryFileStore(), sharedBy(new HandDrivenClock()), 0).perform();

    expect(dropOldRuns).not.toHaveBeenCalled();
  });
});
