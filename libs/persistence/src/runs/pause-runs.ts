import { executeFlowJob, JOB_PRIORITY, type PauseResult, type RunJob } from '@millrace/domain';
import type { Pool } from 'pg';
import { inTransaction } from '../postgres/in-transaction';
import type { IntakeRow } from './run-intake.statements';
import { claimKey } from './run-claim.statements';
import {
  releasePaused,
  lockClaims,
  startChildren,
  writeSegments,
  writeWaits,
  type PauseRow,
} from './run-pause.statements';
import { openRequestsOf, opensRequests } from './run-wait.statements';

export interface Paused {
  /** One result per row, in the order of the rows. */
  results: PauseResult[];
  /** The jobs of the children that were started. */
  jobs: RunJob[];
}

export interface PauseOptions {
  /** How long a run may be paused. */
  limitDays: number;
  /** Whether a destination may listen to these runs. */
  withEvents: () => boolean;
}

/**
 * Pauses runs in one transaction, as RunJournal.pause promises for each. The rows must be of different runs. Rejects
 * with ServiceUnavailableError when the database is unavailable; no run is paused then, unless the commit's answer was
 * lost.
 */
export async function pauseRuns(
  pool: Pool,
  rows: readonly PauseRow[],
  { limitDays, withEvents }: PauseOptions,
): Promise<Paused> {
  return inTransaction(pool, async (tx) => {
    const held = await lockClaims(
      tx,
      rows.map(({ pause }) => pause),
    );
    if (!held) return { results: rows.map(() => 'claimLost'), jobs: [] };
    const holding = rows.filter(({ pause }) => held.keys.has(claimKey(pause)));
    await writeSegments(tx, holding);
    for (const { pause } of holding) if (opensRequests(pause.records)) await openRequestsOf(tx, pause);
    const started = await startChildren(
      tx,
      holding.flatMap(({ children }) => children),
    );
    const resumed = await writeWaits(tx, holding, { pausedAt: held.pausedAt, limitDays });
    await releasePaused(tx, holding, resumed, withEvents());
    const resultOf = ({ pause }: PauseRow): PauseResult =>
      held.keys.has(claimKey(pause)) ? (resumed.has(pause.runId) ? 'resumed' : 'paused') : 'claimLost';
    return { results: rows.map(resultOf), jobs: started.map(jobOf) };
  });
}

const jobOf = ({ run, jobId }: IntakeRow): RunJob => ({
  jobId,
  priority: JOB_PRIORITY.webhook,
  runs: [executeFlowJob(run)],
});
