import { firstIdAt, timeOfDay } from '@millrace/domain';
import type { Pool } from 'pg';
import type { RunsToLoad } from './lean-queue.statements';
import type { StoredRun } from './loaded-run';

/** How long a loaded run is used. Later the run is loaded again, because its row may have changed. */
const KEPT_MS = 500;
/**
 * The runs of a job with more runs are loaded by the journal, which loads the runs of several jobs in one statement.
 */
const MOST_RUNS = 2;
const LARGEST_PAYLOAD = 64 * 1024;
/** Only runs of this age are loaded with their job: a wider range of ids would open the partitions of more months. */
const OLDEST_MS = 24 * 60 * 60 * 1000;
const YOUNGEST_MS = 60 * 1000;

interface Kept {
  run: StoredRun;
  until: number;
}

/** Runs that the statement which claimed their job has loaded too. They are kept until they begin a moment later. */
export class ClaimedRuns {
  private readonly runs = new Map<string, Kept>();
  private db: Pool | null = null;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** The database of the runs; null until the journal has named it. Claims load no runs until then. */
  get pool(): Pool | null {
    return this.db;
  }

  loadFrom(pool: Pool): void {
    this.db = pool;
  }

  toLoad(): RunsToLoad {
    const now = timeOfDay.nowMs();
    const ids = [firstIdAt(new Date(now - OLDEST_MS)), firstIdAt(new Date(now + YOUNGEST_MS))] as const;
    return { ids, most: MOST_RUNS, largestPayload: LARGEST_PAYLOAD };
  }

  /**
   * Keeps the runs that no worker has begun: their row is all there is to load. `loadedAt` is the time at which the
   * statement began, in milliseconds of the clock `now`.
   */
  keep(runs: readonly StoredRun[], loadedAt: number): void {
    this.forgetOld();
    for (const run of runs)
      if (run.status === 'RUNNING' && run.epoch === 0) this.runs.set(run.id, { run, until: loadedAt + KEPT_MS });
  }

  /** Returns the kept run and forgets it. Returns null when the run is not kept or was loaded too long ago. */
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
