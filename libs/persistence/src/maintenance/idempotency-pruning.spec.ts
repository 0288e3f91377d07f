import { HandDrivenClock } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { IdempotencyPruning } from './idempotency-pruning';

describe('IdempotencyPruning', () => {
  it('deletes what is older than 24 hours, a batch at a time until one is not full', async () => {
    const clock = new HandDrivenClock();
    const batches = [1_000, 1_000, 3];
    const query = jest.fn((_query: { values: unknown[] }) => Promise.resolve({ rowCount: batches.shift() }));

    await new IdempotencyPruning({ query } as unknown as Pool, clock).perform();

    const dayAgo = new Date(clock.now().getTime() - 24 * 3_600_000);
    expect(query.mock.calls.map(([{ values }]) => values)).toEqual([[dayAgo], [dayAgo], [dayAgo]]);
  });
});
