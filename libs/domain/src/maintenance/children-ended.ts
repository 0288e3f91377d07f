import type { Clock } from '../clock';
import type { RunFamilies } from '../runs/run-families';
import type { Duty, HeldLease } from './duty';
import { inPages } from './in-pages';

/** Notifies the parents of children that ended unnoticed, because they were cancelled or because their worker died. */
export class ChildrenEnded implements Duty {
  readonly name = 'Children that ended';
  readonly everyMs = 2_000;

  constructor(
    private readonly families: RunFamilies,
    private readonly clock: Clock,
  ) {}

  async perform(lease: HeldLease): Promise<void> {
    const pages = { pageSize: 500, budgetMs: 5_000, clock: this.clock, lease };
    await inPages(pages, (pageSize) => this.families.notifyParents(pageSize));
  }
}
