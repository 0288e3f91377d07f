import { firstIdAt } from '@millrace/domain';
import type { Pool } from 'pg';
import type { RunsToLoad } from './lean-queue.statements';
import type { StoredRun } from './loaded-run';

/** What was loaded longer ago is loaded again: others may have changed it. */
const KEPT_MS = 500;
/** Runs that come together are loaded together, those of several jobs at once. */
const MOST_RUNS = 2;
const LARGEST_PAYLOAD = 64 * 1024;
/** Of older runs the statement would look into older partitions; younger ones are those of a clock that is ahead. */
const OLDEST_MS = 24 * 60 * 60 * 1000;
const YOUNGEST_MS = 60 * 1000;

interface Kept {
  run: StoredRun;
  until: number;
}

/** Runs that were loaded by the statement that claimed their job, until they begin a moment later. */
export class ClaimedRuns {
  private readonly runs = new Map<string, Kept>();
  private db: Pool | null = null;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** The database of the runs; until it is known none is loaded by claims. */
  get pool(): Pool | null {
    return this.db;
  }

  loadFrom(pool: Pool): void {
    this.db = pool;
  }

  toLoad(): RunsToLoad {
    const now = Date.now();
    const ids = [firstIdAt(new Date(now - OLDEST_MS)), firstIdAt(new Date(now + YOUNGEST_MS))] as const;
    return { ids, most: MOST_RUNS, largestPayload: LARGEST_PAYLOAD };
  }

  /** Those that nobody has begun: there is nothing else to load of them. `loadedAt`: when the statement began. */
  keep(runs: readonly StoredRun[], loadedAt: number): void {
    this.forgetOld();
    for (const run of runs)
      if (run.status === 'RUNNING' && run.epoch === 0) this.runs.set(run.id, { run, until: loadedAt + KEPT_MS });
  }

  /** Once, and while it can be trusted. */
  take(runId: string): StoredRun | null {
    const kept = this.runs.get(runId);
    if (!kept) return null;
    this.runs.delete(runId);
    return kept.until > this.now() ? kept.run : null;
  }

  private forgetOld(): void {
    const now = this.now();
    for (const [runId, { until }] of this.runs) {
      if (until > now) return;
      this.runs.delete(runId);
    }
  }
}
