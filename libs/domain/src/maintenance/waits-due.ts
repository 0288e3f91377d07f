import type { Clock } from '../clock';
import type { RunWaits } from '../runs/run-waits';
import type { Duty, HeldLease } from './duty';
import { inPages } from './in-pages';

/** Ends the waits whose deadline has passed, and so resumes their runs. */
export class WaitsDue implements Duty {
  readonly name = 'Waits that are due';
  readonly everyMs = 1_000;

  constructor(
    private readonly waits: RunWaits,
    private readonly clock: Clock,
  ) {}

  async perform(lease: HeldLease): Promise<void> {
    const pages = { pageSize: 1_000, budgetMs: 5_000, clock: this.clock, lease };
    await inPages(pages, async (pageSize) => (await this.waits.endDue(pageSize)).ended);
  }
}
