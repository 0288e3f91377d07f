import type { Duty, SharedClock } from '@millrace/domain';
import type { Pool } from 'pg';
import { deleteOldIdempotencyRecords } from '../idempotency/delete-old-idempotency-records';
import { dropOldRunKeys } from '../runs/run-retention';

const KEPT_MS = 24 * 60 * 60 * 1000;

/** Deletes stored answers and idempotency keys of runs when their time is over. */
export class IdempotencyPruning implements Duty {
  readonly name = 'Idempotency pruning';
  readonly isRoutine = true;
  readonly everyMs = 600_000;

  constructor(
    private readonly pool: Pool,
    private readonly clock: SharedClock,
  ) {}

  async perform(): Promise<string | void> {
    const now = await this.clock.now();
    const deleted = await deleteOldIdempotencyRecords(this.pool, new Date(now.getTime() - KEPT_MS));
    await dropOldRunKeys(this.pool, now);
    if (deleted > 0) return `${deleted} old answers to idempotent requests were deleted.`;
  }
}
