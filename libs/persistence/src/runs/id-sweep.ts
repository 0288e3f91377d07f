import { createdAt, firstIdAt } from '@millrace/domain';
import { isStatementTimeout } from '../postgres/postgres-failure';

// Searches all runs for the few that match, from the oldest to the newest, round after round.
//
// While a transaction holds an old snapshot, PostgreSQL cannot remove dead entries from an index, and every scan from
// the beginning of the index would pass all of them again. Therefore:
//
// S1. A read covers a window of ids. The window shrinks after a slow read and grows after a fast one.
// S2. A call that has used up its time remembers its position, and the next call continues there.

/** A read that takes longer than this makes the next window smaller. */
const LONG_MS = 50;
/** A read that takes less than this makes the next window larger. */
const SHORT_MS = 10;
/** A call begins no new window after this time. */
const BUDGET_MS = 1_000;
/** PostgreSQL ends a read after this time. */
export const LONGEST_READ_MS = 250;

const SMALLEST_WINDOW_MS = 1_000;
const FIRST_WINDOW_MS = 60_000;
const LARGEST_WINDOW_MS = 100 * 365 * 24 * 60 * 60 * 1000;
const GROWTH = 4;

export interface SweptRuns<Row> {
  /** Returns the id of the oldest run, or null when there are no runs. */
  oldest: () => Promise<string | null>;
  /** Returns the runs that match, with ids greater than `from` and not greater than `to`, oldest first. */
  read: (from: string, to: string, limit: number) => Promise<Row[]>;
}

export class IdSweep<Row extends { id: string }> {
  /** The next call continues after this id; null begins a new round. */
  private position: string | null = null;
  private windowMs = FIRST_WINDOW_MS;

  /** `now` tells milliseconds that never decrease. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * Returns the next runs that match, with ids up to `upTo`. The search begins after `afterId`, or without one where
   * the last call ended. Fewer than `limit` runs do not mean that the round is over: the time of the call may be used
   * up.
   */
  async next(runs: SweptRuns<Row>, upTo: string, afterId: string | null, limit: number): Promise<Row[]> {
    const startedAt = this.now();
    const found: Row[] = [];
    let from = afterId ?? this.position ?? (await beginning(runs));
    while (from !== null && from < upTo) {
      const to = this.windowFrom(from, upTo);
      const rows = await this.readWindow(runs, from, to, limit - found.length);
      if (rows) found.push(...rows);
      const last = found.at(-1);
      from = rows === null ? from : found.length >= limit && last ? last.id : to;
      this.position = from;
      if (found.length >= limit || this.now() - startedAt >= BUDGET_MS) return found;
    }
    this.position = null;
    return found;
  }

  private windowFrom(from: string, upTo: string): string {
    const to = firstIdAt(new Date(createdAt(from).getTime() + this.windowMs));
    return to < upTo ? to : upTo;
  }

  /** Returns null when the read took too long. */
  private async readWindow(runs: SweptRuns<Row>, from: string, to: string, limit: number): Promise<Row[] | null> {
    const startedAt = this.now();
    try {
      const rows = await runs.read(from, to, limit);
      this.fitWindow(this.now() - startedAt);
      return rows;
    } catch (error) {
      if (this.windowMs === SMALLEST_WINDOW_MS || !isStatementTimeout(error)) throw error;
      this.windowMs = Math.max(SMALLEST_WINDOW_MS, this.windowMs / GROWTH ** 2);
      return null;
    }
  }

  private fitWindow(tookMs: number): void {
    if (tookMs > LONG_MS) this.windowMs = Math.max(SMALLEST_WINDOW_MS, this.windowMs / GROWTH);
    else if (tookMs < SHORT_MS) this.windowMs = Math.min(LARGEST_WINDOW_MS, this.windowMs * GROWTH);
  }
}

/** Returns an id just before the oldest run, or null when there are no runs. */
async function beginning<Row>(runs: SweptRuns<Row>): Promise<string | null> {
  const oldest = await runs.oldest();
  return oldest === null ? null : firstIdAt(new Date(Math.max(0, createdAt(oldest).getTime() - 1)));
}
