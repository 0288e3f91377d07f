import type { Clock } from '../clock';
import type { RunWaits } from '../runs/run-waits';
import type { Duty, HeldLease } from './duty';
import { inPages } from './in-pages';
import { inShort } from './in-short';

/** Ends the waits whose deadline has passed, and so resumes their runs. */
export class WaitsDue implements Duty {
  readonly name = 'Waits that are due';
  readonly everyMs = 1_000;

  constructor(
    private readonly waits: RunWaits,
    private readonly clock: Clock,
  ) {}

  async perform(lease: HeldLease): Promise<string | void> {
    const pages = { pageSize: 1_000, budgetMs: 5_000, clock: this.clock, lease };
    const outOfTime: string[] = [];
    await inPages(pages, async (pageSize) => {
      const { ended, timedOut = [] } = await this.waits.endDue(pageSize);
      outOfTime.push(...timedOut);
      return ended;
    });
    if (outOfTime.length > 0)
      return `${outOfTime.length} runs were paused for too long and have ended as TIMEOUT: ${inShort(outOfTime)}.`;
  }
}
