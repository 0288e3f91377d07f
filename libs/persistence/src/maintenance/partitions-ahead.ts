import type { Duty, SharedClock } from '@millrace/domain';
import type { Pool } from 'pg';
import { ensurePartitionsAhead } from '../postgres/run-partitions';

/** Makes the partitions of runs, segments and idempotency keys before their time begins. */
export class PartitionsAhead implements Duty {
  readonly name = 'Partitions ahead';
  readonly isRoutine = true;
  readonly everyMs = 3_600_000;

  constructor(
    private readonly pool: Pool,
    private readonly clock: SharedClock,
  ) {}

  async perform(): Promise<string | void> {
    const made = await ensurePartitionsAhead(this.pool, await this.clock.now());
    if (made > 0) return `${made} partitions were made ahead of their time.`;
  }
}
