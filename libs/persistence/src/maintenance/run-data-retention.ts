import { agoBy, retentionTimes, type SharedClock, type Duty, type Retention } from '@millrace/domain';
import type { Pool } from 'pg';
import { purgeRunData } from '../runs/run-data-retention';

/** Deletes the data of ended runs when their retention is over. The rows of the runs stay. */
export class RunDataRetention implements Duty {
  readonly name = 'Run data retention';
  readonly isRoutine = true;
  readonly everyMs: number;
  private readonly keptMs: number;

  constructor(
    private readonly pool: Pool,
    private readonly clock: SharedClock,
    retention: Retention,
  ) {
    ({ keptMs: this.keptMs, everyMs: this.everyMs } = retentionTimes(retention));
  }

  async perform(): Promise<string | void> {
    const { runs, days } = await purgeRunData(this.pool, await agoBy(this.clock, this.keptMs));
    if (runs + days > 0) return `The data of ${runs} old runs, and of ${days} days, was deleted.`;
  }
}
