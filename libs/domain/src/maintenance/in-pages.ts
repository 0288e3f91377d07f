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

/** Performs one page of work after another until a page is not full. `perform` resolves with the size of its page. */
export async function inPages(pages: Pages, perform: (pageSize: number) => Promise<number>): Promise<void> {
  const { pageSize, budgetMs, clock, lease } = pages;
  const startedAt = clock.elapsedMs();
  while (lease.isHeld() && clock.elapsedMs() - startedAt < budgetMs) {
    if ((await perform(pageSize)) < pageSize) return;
  }
}
