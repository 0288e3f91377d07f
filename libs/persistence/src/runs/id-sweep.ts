import { createdAt, firstIdAt } from '@millrace/domain';
import { isStatementTimeout } from '../postgres/postgres-failure';

// Looks through all runs for a few of them, oldest first, and round again.
//
// While somebody holds an old snapshot, nothing that an index has lost is removed from it, and a scan from its beginning
// walks over all of that each time. So:
//
// S1. A read looks at a window of ids, and the window shrinks when a read takes long, and grows when it does not.
// S2. A call that has used up its time remembers where it is, and the next one goes on from there.

/** A read that takes longer makes the next windows smaller; one that takes little, larger. */
const LONG_MS = 50;
const SHORT_MS = 10;
/** No new window in a call after that. */
const BUDGET_MS = 1_000;
/** PostgreSQL breaks a read off after that. */
export const LONGEST_READ_MS = 250;

const SMALLEST_WINDOW_MS = 1_000;
const FIRST_WINDOW_MS = 60_000;
const LARGEST_WINDOW_MS = 100 * 365 * 24 * 60 * 60 * 1000;
const GROWTH = 4;

export interface SweptRuns<Row> {
  /** The oldest run there is; null when there is none. */
  oldest: () => Promise<string | null>;
  /** Those that are looked for, with ids after `from` up to `to`, oldest first. */
  read: (from: string, to: string, limit: number) => Promise<Row[]>;
}

export class IdSweep<Row extends { id: string }> {
  /** Null: a new round begins. */
  private position: string | null = null;
  private windowMs = FIRST_WINDOW_MS;

  constructor(private readonly now: () => number) {}

  /** What is found next with ids up to `upTo`: after `afterId`, or from where the last call without one ended. */
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

  /** Null when it took too long. */
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

/** Just before the oldest run. */
async function beginning<Row>(runs: SweptRuns<Row>): Promise<string | null> {
  const oldest = await runs.oldest();
  return oldest === null ? null : firstIdAt(new Date(Math.max(0, createdAt(oldest).getTime() - 1)));
}
