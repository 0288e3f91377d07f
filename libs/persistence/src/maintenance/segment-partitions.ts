import type { Clock, Duty } from '@millrace/domain';
import type { Pool } from 'pg';
import { ensureSegmentPartitions } from '../postgres/segment-partitions';

const DAYS_AHEAD = 7;

/** Makes the journal's daily partitions before their day begins. */
export class SegmentPartitions implements Duty {
  readonly name = 'Segment partitions';
  readonly everyMs = 3_600_000;

  constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
  ) {}

  async perform(): Promise<void> {
    await ensureSegmentPartitions(this.pool, this.clock.now(), DAYS_AHEAD);
  }
}
