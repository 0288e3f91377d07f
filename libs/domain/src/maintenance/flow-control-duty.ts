import type { Clock } from '../clock';
import { announceEnded, type FlowControl, type LeavingState } from '../flow-control/flow-control';
import type { RunEvents } from '../runs/run-events';
import type { Duty, HeldLease } from './duty';
import { inPages } from './in-pages';

const PAGE_SIZE = 1_000;
const BUDGET_MS = 2_000;
/** What has expired, and what is on record of ended runs that held no place, does no harm and is deleted now and then. */
const FORGETS_EVERY_TURNS = 60;

/**
 * Lets the runs of controlled flows begin whose time has come, and frees the places of runs that have ended or paused
 * without their workers' word: a worker died, or the run was ended from outside.
 */
export class FlowControlDuty implements Duty {
  readonly name = 'Flow control';
  readonly everyMs = 1_000;
  private readonly afterId: Record<LeavingState, string | null> = { admitted: null, paused: null };
  private turns = 0;

  constructor(
    private readonly control: FlowControl,
    private readonly events: RunEvents,
    private readonly clock: Clock,
  ) {}

  async perform(lease: HeldLease): Promise<void> {
    const pages = { pageSize: PAGE_SIZE, budgetMs: BUDGET_MS, clock: this.clock, lease };
    await inPages(pages, (pageSize) => this.reviewDue(pageSize));
    await inPages(pages, (pageSize) => this.reviewLeft('admitted', pageSize));
    const forgets = this.turns++ % FORGETS_EVERY_TURNS === 0;
    // There may be very many paused runs.
    if (forgets || this.afterId.paused !== null)
      await inPages(pages, (pageSize) => this.reviewLeft('paused', pageSize));
    if (forgets) await inPages(pages, (pageSize) => this.control.forget(pageSize));
  }

  private async reviewDue(pageSize: number): Promise<number> {
    const { reviewed, ended } = await this.control.reviewDue(pageSize);
    await announceEnded(this.events, ended);
    return reviewed;
  }

  /** A turn that has no time for all pages is continued by the next one. */
  private async reviewLeft(state: LeavingState, pageSize: number): Promise<number> {
    const { nextAfterId, ended } = await this.control.reviewLeft(state, this.afterId[state], pageSize);
    this.afterId[state] = nextAfterId;
    await announceEnded(this.events, ended);
    return nextAfterId === null ? 0 : pageSize;
  }
}
