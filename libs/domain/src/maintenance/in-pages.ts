import type { Clock } from '../clock';

export interface Pages {
  pageSize: number;
  /** No new page after that: what is left is for the duty's next turn. */
  budgetMs: number;
  clock: Clock;
}

/** Does a page of work after the other, until one is not full. Answers how much was done. */
export async function inPages(pages: Pages, perform: (pageSize: number) => Promise<number>): Promise<number> {
  const { pageSize, budgetMs, clock } = pages;
  const startedAt = clock.now().getTime();
  let total = 0;
  for (;;) {
    const done = await perform(pageSize);
    total += done;
    if (done < pageSize || clock.now().getTime() - startedAt >= budgetMs) return total;
  }
}
