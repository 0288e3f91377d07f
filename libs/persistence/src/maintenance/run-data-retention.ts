import type { Clock, Duty, Retention } from '@millrace/domain';
import type { Pool } from 'pg';
import { purgeRunData } from '../runs/run-data-retention';

const HOUR_MS = 60 * 60 * 1000;

/** Deletes what the steps of ended runs did, when it has been kept for long enough; the runs themselves stay. */
export class RunDataRetention implements Duty {
  readonly name = 'Run data retention';
  readonly everyMs: number;
  private readonly keptMs: number;

  constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
    { days, hours }: Retention,
  ) {
    this.keptMs = (hours ?? days * 24) * HOUR_MS;
    this.everyMs = hours === undefined ? HOUR_MS : 60_000;
  }

  async perform(): Promise<void> {
    await purgeRunData(this.pool, new Date(this.clock.now().getTime() - this.keptMs));
  }
}
