import type { FlowRunStatus } from '../run-status';
import type { StatusCounts } from './live-feed';

/** How many of the newest changed runs are kept. */
export const NEWEST_RUNS = 50;

/** Collects what becomes of the runs of one project: how many took each status, and which of them are the newest. */
export class RunChanges {
  private counts: StatusCounts = {};
  private readonly ids = new Set<string>();
  /** A lower bound of the ids that are kept when there are enough. */
  private oldest = '';

  get isEmpty(): boolean {
    return this.ids.size === 0;
  }

  add(runId: string, status?: FlowRunStatus): void {
    if (status) this.count(status, 1);
    this.note(runId);
  }

  merge(counts: StatusCounts, runIds: readonly string[]): void {
    for (const [status, count] of Object.entries(counts)) this.count(status as FlowRunStatus, count);
    for (const runId of runIds) this.note(runId);
  }

  /** Returns what was collected, the newest run first, and begins anew. */
  take(): { counts: StatusCounts; runIds: string[] } {
    const { counts } = this;
    const runIds = this.newest();
    this.counts = {};
    this.ids.clear();
    this.oldest = '';
    return { counts, runIds };
  }

  private count(status: FlowRunStatus, more: number): void {
    this.counts[status] = (this.counts[status] ?? 0) + more;
  }

  /** Ids are in the order of time. Twice as many as needed are kept, so that they are rarely sorted. */
  private note(runId: string): void {
    if (runId < this.oldest) return;
    this.ids.add(runId);
    if (this.ids.size < 2 * NEWEST_RUNS) return;
    const newest = this.newest();
    this.ids.clear();
    for (const id of newest) this.ids.add(id);
    this.oldest = newest.at(-1) ?? '';
  }

  private newest(): string[] {
    return [...this.ids].sort().reverse().slice(0, NEWEST_RUNS);
  }
}
