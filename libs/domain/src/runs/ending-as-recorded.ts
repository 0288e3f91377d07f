import { finishRun } from './finish-run';
import type { FailedStep } from './flow-run';
import type { RunHead, RunJournal, RunToExecute } from './run-journal';
import type { RunEvents } from './run-events';
import { RecordedRun } from '../journal/recorded-run';

/** How a run ends that no worker executes. */
export type EndingFromOutside =
  | { kind: 'timedOut' }
  | { kind: 'internalError'; reason: string }
  | { kind: 'failed'; step: FailedStep; reason: null };

interface EndingTimes {
  finishTime: Date;
  timeoutSeconds: number;
}

interface EndingPorts {
  journal: RunJournal;
  events: RunEvents;
}

const UNREADABLE = 'What the run did so far can no longer be read, so it cannot go on.';

/** The ending of a run with broken records. */
export const BROKEN_RECORD: EndingFromOutside = { kind: 'internalError', reason: UNREADABLE };

/**
 * Ends the run with what its records say and publishes its run event. False when another owner or another ending came
 * first.
 */
export async function endAsRecorded(
  { journal, events }: EndingPorts,
  run: RunHead & Pick<RunToExecute, 'recorded' | 'nextSegment'>,
  ending: EndingFromOutside,
  times: EndingTimes,
): Promise<boolean> {
  const { id: runId, epoch, projectId, nextSegment: seq } = run;
  const { stepsCount, tags, response } = new RecordedRun(run.recorded);
  const outcome = { ...ending, stepsCount, tags };
  const finish = finishRun(outcome, { startTime: run.startTime ?? times.finishTime, ...times });
  if (!(await journal.finish({ runId, epoch, projectId, seq, records: [], ...finish }))) return false;
  events.noteEnding(run, finish);
  await events.ended(run, { status: finish.status, response });
  return true;
}

/** Ends a run by its row alone, because its records cannot be read. The ending has no steps and no tags. */
export const endUnread = (
  ports: EndingPorts,
  run: RunHead,
  ending: EndingFromOutside,
  times: EndingTimes,
): Promise<boolean> => endAsRecorded(ports, { ...run, recorded: [], nextSegment: 0 }, ending, times);
