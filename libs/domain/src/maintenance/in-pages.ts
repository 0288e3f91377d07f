import type { Clock } from '../clock';
import type { HeldLease } from './duty';

export interface Pages {
  pageSize: number;
  /** No new page after that: what is left is for the duty's next turn. */
  budgetMs: number;
  clock: Clock;
  /** No new page without it. */
  lease: HeldLease;
}

/** Does a page of work after the other, until one is not full. */
export async function inPages(pages: Pages, perform: (pageSize: number) => Promise<number>): Promise<void> {
  const { pageSize, budgetMs, clock, lease } = pages;
  const startedAt = clock.now().getTime();
  while (lease.isHeld() && clock.now().getTime() - startedAt < budgetMs) {
    if ((await perform(pageSize)) < pageSize) return;
  }
}
