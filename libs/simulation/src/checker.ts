import { isFinal, PAUSED_RUN_LIMIT_DAYS, RecordedRun } from '@millrace/domain';
import type { JournalledRun } from '@millrace/domain/testing';
import { flowCalled } from './flow-pool';
import type { Simulation } from './simulation';

// The checker of the end: when everything has come to rest, no run is lost and each ending has its reason.

const DAY_MS = 86_400_000;
const LEAST_TROUBLES = 3;
/** A run may lose five workers. At most this many of them were asleep and woke too late to report that they live. */
const MOST_ASLEEP = 3;
const LEAST_DEATHS = 5 - MOST_ASLEEP;

export function judgeTheEnd(simulation: Simulation): void {
  const { watch, store, senders } = simulation;
  senders.judge();
  for (const run of store.runs) {
    const wrong = isFinal(run.status) ? wrongEnding(run, simulation) : wrongRest(run);
    if (wrong !== null) watch.violate(`${run.id}, ${run.status} at the end: ${wrong}`);
    if (isFinal(run.status) && run.parentRunId !== null && !run.parentTold)
      watch.violate(`${run.id}: nobody told its parent that it ended`);
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

function wrongEnding(run: JournalledRun, simulation: Simulation): string | null {
  if (simulation.cancelled.has(run.id)) return run.status === 'STOPPED' ? null : 'it was cancelled before it ended';
  switch (run.status) {
    case 'SUCCEEDED':
      return wrongSuccess(run, simulation);
    case 'FAILED':
      return mayFail(run, simulation) ? null : 'nothing in it failed';
    case 'TIMEOUT':
      return wasOutOfTime(run, simulation) ? null : 'it had time left';
    case 'INTERNAL_ERROR':
      return isGivenUp(run, simulation) ? null : 'it was given up without need';
    default:
      return 'nobody asked for this ending';
  }
}

function wrongSuccess(run: JournalledRun, { approvers }: Simulation): string | null {
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
    const expected = { kind: 'human', answer: approvers.answerTo(run.id, requestId) };
    if (JSON.stringify(output) !== JSON.stringify(expected)) return `the answer to ${requestId} did not reach its step`;
  }
  return null;
}

function mayFail(run: JournalledRun, { store }: Simulation): boolean {
  if (flowCalled(run.flowVersionId).fails) return true;
  return store.runs.some(
    ({ parentRunId, status }) => parentRunId === run.id && isFinal(status) && status !== 'SUCCEEDED',
  );
}

function wasOutOfTime(run: JournalledRun, { flowTimeoutSeconds, time }: Simulation): boolean {
  const from = run.timeCountsFrom ?? run.startTime;
  const { ending } = run;
  if (ending) return from !== null && ending.finishTime.getTime() - from.getTime() >= flowTimeoutSeconds * 1_000;
  return time.elapsed >= PAUSED_RUN_LIMIT_DAYS * DAY_MS;
}

/**
 * Says whether the service had to give up the run: five workers were lost with it, three attempts failed, or its record
 * is broken.
 */
function isGivenUp({ id, statusReason }: JournalledRun, { watch, damage }: Simulation): boolean {
  if (damage.broken.has(id) || damage.deadly.has(id)) return true;
  const { deaths, troubles } = watch.of(id);
  return /quarantine on its own/.test(statusReason ?? '') ? deaths >= LEAST_DEATHS : troubles >= LEAST_TROUBLES;
}
