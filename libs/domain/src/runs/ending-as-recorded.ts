import { finishRun } from './finish-run';
import type { RunHead, RunJournal, RunToExecute } from './run-journal';
import type { RunEvents } from './run-events';
import { RecordedRun } from '../journal/recorded-run';

/** How a run ends that nobody walks any more. */
export type EndingFromOutside = { kind: 'timedOut' } | { kind: 'internalError'; reason: string };

interface EndingTimes {
  finishTime: Date;
  timeoutSeconds: number;
}

interface EndingPorts {
  journal: RunJournal;
  events: RunEvents;
}

const UNREADABLE = 'What the run did so far can no longer be read, so it cannot go on.';

/** How a run ends whose record is broken. */
export const BROKEN_RECORD: EndingFromOutside = { kind: 'internalError', reason: UNREADABLE };

/** Ends the run with what is on record of it, and tells those who wait for it. False when another owner or ending came first. */
export async function endAsRecorded(
  { journal, events }: EndingPorts,
  run: RunHead & Pick<RunToExecute, 'recorded' | 'nextSegment'>,
  ending: EndingFromOutside,
  times: EndingTimes,
): Promise<boolean> {
  const { id: runId, epoch, nextSegment: seq } = run;
  const { stepsCount, tags, response } = new RecordedRun(run.recorded);
  const outcome = { ...ending, stepsCount, tags };
  const finish = finishRun(outcome, { startTime: run.startTime ?? times.finishTime, ...times });
  if (!(await journal.finish({ runId, epoch, seq, records: [], ...finish }))) return false;
  await events.ended(run, { status: finish.status, response });
  return true;
}

/** Ends a run of which only the row can be read: its steps are not counted then, nor their tags kept. */
export const endUnread = (
  ports: EndingPorts,
  run: RunHead,
  ending: EndingFromOutside,
  times: EndingTimes,
): Promise<boolean> => endAsRecorded(ports, { ...run, recorded: [], nextSegment: 0 }, ending, times);
