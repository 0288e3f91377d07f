import { agoBy, BACKFILL_DAYS, type SharedClock, type Duty } from '@millrace/domain';
import type { Pool } from 'pg';
import { deleteOldScheduleDays } from '../triggers/delete-old-schedule-days';

const DAY_MS = 24 * 60 * 60 * 1000;
/** An instant is forgotten only when no backfill can name it any more, also by another clock. */
const KEPT_MS = (BACKFILL_DAYS + 7) * DAY_MS;

/** Forgets which instants of schedules had a run when no backfill can name them any more. */
export class ScheduleDayPruning implements Duty {
  readonly name = 'Schedule day pruning';
  readonly isRoutine = true;
  readonly everyMs = 3_600_000;

  constructor(
    private readonly pool: Pool,
    private readonly clock: SharedClock,
  ) {}

  async perform(): Promise<string | void> {
    const deleted = await deleteOldScheduleDays(this.pool, await agoBy(this.clock, KEPT_MS));
    if (deleted > 0) return `The instants of schedules on ${deleted} old days were forgotten.`;
  }
}
