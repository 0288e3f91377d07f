import type { Clock } from '../clock';
import type { ScheduledRuns } from '../triggers/schedules/scheduled-runs';
import type { Duty, HeldLease } from './duty';
import { inPages } from './in-pages';

/** Starts the runs of the schedules that are due. */
export class SchedulesDue implements Duty {
  readonly name = 'Schedules that are due';
  readonly everyMs = 1_000;

  constructor(
    private readonly runs: ScheduledRuns,
    private readonly clock: Clock,
  ) {}

  async perform(lease: HeldLease): Promise<void> {
    const pages = { pageSize: 250, budgetMs: 5_000, clock: this.clock, lease };
    await inPages(pages, (pageSize) => this.runs.startDue(pageSize));
  }
}
