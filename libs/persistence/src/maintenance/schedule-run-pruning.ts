import { BACKFILL_DAYS, type Clock, type Duty } from '@millrace/domain';
import type { Pool } from 'pg';
import { deleteOldScheduleRuns } from '../triggers/delete-old-schedule-runs';

const DAY_MS = 24 * 60 * 60 * 1000;
/** An instant is forgotten only when no backfill can name it any more, also by another clock. */
const KEPT_MS = (BACKFILL_DAYS + 7) * DAY_MS;

/** Forgets which instants of schedules had a run when no backfill can name them any more. */
export class ScheduleRunPruning implements Duty {
  readonly name = 'Schedule run pruning';
  readonly everyMs = 3_600_000;

  constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
  ) {}

  async perform(): Promise<void> {
    await deleteOldScheduleRuns(this.pool, new Date(this.clock.now().getTime() - KEPT_MS));
  }
}
