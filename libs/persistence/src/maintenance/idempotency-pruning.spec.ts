import { HandDrivenClock, sharedBy } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { deleteOldIdempotencyRecords } from '../idempotency/delete-old-idempotency-records';
import { dropOldRunKeys } from '../runs/run-retention';
import { IdempotencyPruning } from './idempotency-pruning';

jest.mock('../idempotency/delete-old-idempotency-records', () => ({
  deleteOldIdempotencyRecords: jest.fn(() => Promise.resolve(0)),
}));
jest.mock('../runs/run-retention', () => ({ dropOldRunKeys: jest.fn(() => Promise.resolve()) }));

describe('IdempotencyPruning', () => {
  it('deletes answers that are older than 24 hours, and drops the keys of days that are over', async () => {
    const clock = new HandDrivenClock();
    const pool = {} as Pool;

    await new IdempotencyPruning(pool, sharedBy(clock)).perform();

    const dayAgo = new Date(clock.now().getTime() - 24 * 3_600_000);
    expect(jest.mocked(deleteOldIdempotencyRecords).mock.calls).toEqual([[pool, dayAgo]]);
    expect(jest.mocked(dropOldRunKeys).mock.calls).toEqual([[pool, clock.now()]]);
  });
});
