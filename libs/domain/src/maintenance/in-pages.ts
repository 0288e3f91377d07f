import type { Clock } from '../clock';
import type { HeldLease } from './duty';

export interface Pages {
  pageSize: number;
  /** No page starts after this time. The next turn of the duty does the rest. */
  budgetMs: number;
  clock: Clock;
  /** No page starts without this lease. */
  lease: HeldLease;
}

/**
 * Performs one page of work after another until a page is not full. `perform` resolves with the size of its page.
 * Returns the size of all pages.
 */
export async function inPages(pages: Pages, perform: (pageSize: number) => Promise<number>): Promise<number> {
  const { pageSize, budgetMs, clock, lease } = pages;
  let sum = 0;
  const startedAt = clock.elapsedMs();
  while (lease.isHeld() && clock.elapsedMs() - startedAt < budgetMs) {
    const done = await perform(pageSize);
    sum += done;
    if (done < pageSize) break;
  }
  return sum;
}
