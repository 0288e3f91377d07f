import { isFinal, LONGEST_UNCLAIMED_MS, PAUSED_RUN_LIMIT_DAYS, RecordedRun } from '@millrace/domain';
import type { JournalledRun } from '@millrace/domain/testing';
import { flowCalled } from '../model/flow-pool';
import type { RunChecker } from './run-checker';

// The checker of the end: when everything has come to rest, no run is lost and each ending has its reason.

const DAY_MS = 86_400_000;
/** A run may lose five workers. At most this many of them were asleep and woke too late to report that they live. */
const MOST_ASLEEP = 3;
const LEAST_DEATHS = 5 - MOST_ASLEEP;

/** A schedule at rest, as the checker of the end needs to know it. */
export interface FinalState {
  runs: readonly JournalledRun[];
  checker: RunChecker;
  /** Virtual milliseconds since the beginning. */
  elapsedMs: number;
  flowTimeoutSeconds: number;
  /** The runs whose client was told that they were not accepted. */
  refused: ReadonlySet<string>;
  /** The runs that were cancelled before they ended. */
  cancelled: ReadonlySet<string>;
  /** Whether a fault leaves the service no choice but to give up the run. */
  isDoomed: (runId: string) => boolean;
  /** The answer to a request that was accepted. */
  answerTo: (runId: string, requestId: string) => unknown;
}

export function checkFinalState(state: FinalState): void {
  const { checker, runs, refused } = state;
  for (const { id } of runs)
    if (refused.has(id)) checker.violate(`${id}: its sender was told that it was not accepted`);
  for (const run of runs) {
    const wrong = isFinal(run.status) ? wrongEnding(run, state) : wrongRest(run);
    if (wrong !== null) checker.violate(`${run.id}, ${run.status} at the end: ${wrong}`);
    if (isFinal(run.status) && run.parentRunId !== null && !run.parentTold)
      checker.violate(`${run.id}: nobody told its parent that it ended`);
  }
}

/** Says what is wrong with a run that has not ended; null when it is paused and each of its waits is open. */
function wrongRest(run: JournalledRun): string | null {
  if (run.status !== 'PAUSED') return 'it should have ended, or wait';
  const waits = [...new RecordedRun(run.segments.flat()).waitIds].map((requestId) => run.requests.get(requestId));
  if (waits.some((wait) => !wait)) return 'it waits for something that has no row';
  if (waits.some((wait) => wait?.ended)) return 'what it waits for has ended, and nothing woke it';
  return waits.length > 0 ? null : 'it waits for nothing';
}

function wrongEnding(run: JournalledRun, state: FinalState): string | null {
  if (state.cancelled.has(run.id)) return run.status === 'STOPPED' ? null : 'it was cancelled before it ended';
  switch (run.status) {
    case 'SUCCEEDED':
      return wrongSuccess(run, state);
    case 'FAILED':
      return mayFail(run, state) ? null : 'nothing in it failed';
    case 'TIMEOUT':
      return wasOutOfTime(run, state) ? null : 'it had time left';
    case 'INTERNAL_ERROR':
      return isGivenUp(run, state) ? null : 'it was given up without need';
    default:
      return 'nobody asked for this ending';
  }
}

function wrongSuccess(run: JournalledRun, { answerTo }: FinalState): string | null {
  const flow = flowCalled(run.flowVersionId);
  if (flow.fails) return 'one of its steps fails';
  const records = new Map(run.segments.flat().map((record) => [record.path, record]));
  const undone = flow.paths.filter((path) => {
    const status = records.get(path)?.status;
    return status !== 'SUCCEEDED' && status !== 'FAILED';
  });
  if (undone.length > 0) return `${undone.join(', ')} is not on record`;
  for (const { requestId, stepPath, ending } of run.requests.values()) {
    if (stepPath === null || ending?.kind !== 'human') continue;
    const output = records.get(stepPath)?.output;
    const expected = { kind: 'human', answer: answerTo(run.id, requestId) };
    if (JSON.stringify(output) !== JSON.stringify(expected)) return `the answer to ${requestId} did not reach its step`;
  }
  return null;
}

function mayFail(run: JournalledRun, { runs }: FinalState): boolean {
  if (flowCalled(run.flowVersionId).fails) return true;
  return runs.some(({ parentRunId, status }) => parentRunId === run.id && isFinal(status) && status !== 'SUCCEEDED');
}

/**
 * Only the clock of the store is asked: the times in the ending come from the clock of a worker. A worker may execute a
 * run for a while before it claims it, and the time of the run counts from its claim on record.
 */
function wasOutOfTime(run: JournalledRun, { checker, flowTimeoutSeconds, elapsedMs }: FinalState): boolean {
  const { acceptedAt, claimedAt, changedAt } = checker.of(run.id);
  const unclaimedMs = Number(claimedAt ?? acceptedAt) - Number(acceptedAt);
  const from = Math.max(Number(run.timeCountsFrom ?? acceptedAt) - unclaimedMs, Number(acceptedAt));
  // A worker whose clock is behind may tell a start that is so much too early.
  if (run.ending) return Number(changedAt) - from >= flowTimeoutSeconds * 1_000 - LONGEST_UNCLAIMED_MS;
  return elapsedMs >= PAUSED_RUN_LIMIT_DAYS * DAY_MS;
}

/**
 * Says whether the service had to give up the run: its record is broken, or five workers were lost with it. Calls that
 * fail because the store is away are no reason.
 */
function isGivenUp({ id, statusReason }: JournalledRun, { checker, isDoomed }: FinalState): boolean {
  if (isDoomed(id)) return true;
  return /quarantine on its own/.test(statusReason ?? '') && checker.of(id).deaths >= LEAST_DEATHS;
}
