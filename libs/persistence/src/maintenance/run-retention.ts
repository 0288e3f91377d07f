import { agoBy, type SharedClock, type Duty, type FileStore } from '@millrace/domain';
import type { Pool } from 'pg';
import { dropOldRuns } from '../runs/run-retention';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** Deletes runs, with their data and files, when they ended more than `days` days ago; 0 days keeps all runs. */
export class RunRetention implements Duty {
  readonly name = 'Run retention';
  readonly isRoutine = true;
  readonly everyMs = HOUR_MS;

  constructor(
    private readonly pool: Pool,
    private readonly files: FileStore,
    private readonly clock: SharedClock,
    private readonly days: number,
  ) {}

  async perform(): Promise<string | void> {
    if (this.days === 0) return;
    const olderThan = await agoBy(this.clock, this.days * DAY_MS);
    await this.files.purgeFilesOfRuns(olderThan);
    const { months, runs } = await dropOldRuns(this.pool, olderThan);
    if (months + runs > 0) return `${months} months of old runs, and ${runs} older ones, were deleted.`;
  }
}
