import {
  executeFlowJob,
  JOB_PRIORITY,
  waitsOnRecord,
  type PauseResult,
  type RunJob,
  type StepRecord,
} from '@millrace/domain';
import type { Pool } from 'pg';
import { inTransaction, type Queryable } from '../postgres/in-transaction';
import type { IntakeRow } from './run-intake.statements';
import { claimKey, loadSegments, segmentsByRun } from './run-journal.statements';
import {
  findEndedWaits,
  letGo,
  lockClaims,
  startChildren,
  takeEndings,
  writeSegments,
  writeWaits,
  type EndedWait,
  type PauseRow,
} from './run-pause.statements';
import { openRequestsOf, opensRequests } from './run-wait.statements';
import { readRecords } from './segment-records';

export interface Paused {
  /** In the order of the rows. */
  results: PauseResult[];
  /** The jobs of the children that were started. */
  jobs: RunJob[];
}

/** Pauses runs, each as a pause promises, in one transaction. No two of the rows are of one run. */
export async function pauseRuns(pool: Pool, rows: readonly PauseRow[], limitDays: number): Promise<Paused> {
  return inTransaction(pool, async (tx) => {
    const held = await lockClaims(
      tx,
      rows.map(({ pause }) => pause),
    );
    const holding = rows.filter(({ pause }) => held.has(claimKey(pause)));
    if (holding.length === 0) return { results: rows.map(() => 'lost'), jobs: [] };
    await writeSegments(tx, holding);
    for (const { pause } of holding) if (opensRequests(pause.records)) await openRequestsOf(tx, pause);
    const started = await startChildren(
      tx,
      holding.flatMap(({ children }) => children),
    );
    await writeWaits(tx, holding, limitDays);
    const goOn = await runsThatGoOn(tx, holding);
    await letGo(tx, holding, goOn);
    const resultOf = ({ pause }: PauseRow): PauseResult =>
      held.has(claimKey(pause)) ? (goOn.has(pause.runId) ? 'goesOn' : 'paused') : 'lost';
    return { results: rows.map(resultOf), jobs: started.map(jobOf) };
  });
}

/** Those with a wait that has ended, while its step does not know. */
async function runsThatGoOn(tx: Queryable, rows: readonly PauseRow[]): Promise<Set<string>> {
  const ended = await findEndedWaits(
    tx,
    rows.map(({ pause }) => pause.runId),
  );
  if (ended.length === 0) return new Set();
  const rowOf = new Map(rows.map((row) => [row.pause.runId, row]));
  const hasGoneOn = ({ run_id, request_id, step_path }: EndedWait): boolean =>
    isGoneOn(
      rowOf.get(run_id)?.pause.records.findLast(({ path }) => path === step_path),
      request_id,
    );
  const doubtful = ended.filter((wait) => !hasGoneOn(wait));
  const waiting = await waitingRequests(tx, [...new Set(doubtful.map(({ run_id }) => run_id))]);
  const unknown = doubtful.filter(({ run_id, request_id }) => waiting.get(run_id)?.has(request_id));
  await takeEndings(
    tx,
    ended.filter((wait) => !unknown.includes(wait)),
  );
  return new Set(unknown.map(({ run_id }) => run_id));
}

const isGoneOn = (record: StepRecord | undefined, requestId: string): boolean =>
  record !== undefined && record.wait?.requestId !== requestId;

/** The requests that the recorded steps of these runs wait for. */
async function waitingRequests(tx: Queryable, runIds: readonly string[]): Promise<Map<string, Set<string>>> {
  const waiting = new Map<string, Set<string>>();
  for (const [runId, segments] of segmentsByRun(await loadSegments(tx, runIds)))
    waiting.set(runId, waitsOnRecord(await readRecords(segments.map(({ records }) => records))));
  return waiting;
}

const jobOf = ({ run, jobId }: IntakeRow): RunJob => ({
  jobId,
  priority: JOB_PRIORITY.webhook,
  runs: [executeFlowJob(run)],
});
