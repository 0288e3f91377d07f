import { HandDrivenClock, sharedBy } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { purgeRunData } from '../runs/run-data-retention';
import { RunDataRetention } from './run-data-retention';

jest.mock('../runs/run-data-retention', () => ({
  purgeRunData: jest.fn(() => Promise.resolve({ runs: 3, days: 1 })),
}));

const HOUR_MS = 3_600_000;
const pool = {} as Pool;

describe('RunDataRetention', () => {
  it.each([
    ['days', { days: 30, hours: undefined }, 30 * 24],
    ['hours, when they are set', { days: 30, hours: 2 }, 2],
  ])('deletes what is older than so many %s', async (_unit, retention, keptHours) => {
    const clock = new HandDrivenClock();

    const told = await new RunDataRetention(pool, sharedBy(clock), retention).perform();

    expect(told).toBe('The data of 3 old runs, and of 1 days, was deleted.');
    const bound = new Date(clock.now().getTime() - keptHours * HOUR_MS);
    expect(jest.mocked(purgeRunData).mock.lastCall).toEqual([pool, bound]);
  });

  it('looks every hour, and every minute when it counts in hours', () => {
    const everyMs = (hours: number | undefined) =>
      new RunDataRetention(pool, sharedBy(new HandDrivenClock()), { days: 30, hours }).everyMs;

    expect(everyMs(undefined)).toBe(HOUR_MS);
    expect(everyMs(1)).toBe(60_000);
  });
});
