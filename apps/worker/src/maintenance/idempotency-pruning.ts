import { Clock } from '@millrace/domain';
import { deleteOldIdempotencyRecords } from '@millrace/persistence';
import type { Pool } from 'pg';
import type { Duty } from './duties';

const KEPT_MS = 24 * 60 * 60 * 1000;

/** Deletes the answers that no repeated request gets any more. */
export class IdempotencyPruning implements Duty {
  readonly name = 'Idempotency pruning';
  readonly everyMs = 600_000;

  constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
  ) {}

  async perform(): Promise<void> {
    await deleteOldIdempotencyRecords(this.pool, new Date(this.clock.now().getTime() - KEPT_MS));
  }
}
