import type { FlowRunStatus } from '../run-status';
import type { OutputFile, RecordedStep } from '../journal/step-record';

// The log of a run is its journal (docs/adr/0008), told line by line: first the run, then each record as it was written.
// A log may be shown to others by a link, so it holds nothing that would let them act: no ids of requests that wait.

const UNREADABLE = 'Some of the steps are here and cannot be read: they are damaged, or a later version wrote them.';
const HIDDEN = '**REDACTED**';

/** The run that a log is of. */
export interface LoggedRun {
  id: string;
  projectId: string;
  flowId: string;
  flowVersionId: string;
  status: FlowRunStatus;
  startTime: Date;
  finishTime: Date | null;
  statusReason: string | null;
}

export interface RunLog {
  run: LoggedRun;
  /** In the order they were written, some at a time. */
  records: AsyncIterable<readonly RecordedStep[] | 'unreadable'>;
}

/** A line of the log that tells of a step. */
export interface LoggedStep {
  step: string;
  type: string;
  status: string;
  /** Milliseconds. */
  duration: number;
  attempts?: number;
  errorMessage?: string;
  retryAt?: string;
  waitsSince?: string;
  waitsUntil?: string;
  logs?: readonly string[];
  input?: unknown;
  output?: unknown;
  outputFile?: OutputFile;
}

/** The content of the file, as pieces of text that end with a whole line each: JSON lines. */
export async function* runLogLines({ run, records }: RunLog): AsyncGenerator<string> {
  yield `${JSON.stringify({ run })}\n`;
  const requestIds = new Set<string>();
  for await (const some of records) {
    if (some === 'unreadable') {
      yield `${JSON.stringify({ unreadable: UNREADABLE })}\n`;
      continue;
    }
    for (const { wait, effects } of some) {
      if (wait) requestIds.add(wait.requestId);
      for (const { requestId } of effects?.opens ?? []) requestIds.add(requestId);
    }
    if (some.length > 0) yield some.map((record) => `${lineOf(record, requestIds)}\n`).join('');
  }
}

/** A step that gives links away has their ids in its output, and the step that sends them in its input. */
function lineOf(record: RecordedStep, requestIds: ReadonlySet<string>): string {
  let line = JSON.stringify(loggedStep(record));
  for (const id of requestIds) line = line.replaceAll(id, HIDDEN);
  return line;
}

function loggedStep(record: RecordedStep): LoggedStep {
  const { path, type, status, duration, attempts, errorMessage, retryAt, wait, logs, outputFile } = record;
  return {
    step: path,
    type,
    status,
    duration,
    ...(attempts === undefined ? {} : { attempts }),
    ...(errorMessage === undefined ? {} : { errorMessage }),
    ...(retryAt === undefined ? {} : { retryAt }),
    ...(wait === undefined ? {} : { waitsSince: wait.since }),
    ...(wait?.until === undefined ? {} : { waitsUntil: wait.until }),
    ...(logs === undefined ? {} : { logs }),
    ...('input' in record ? { input: record.input } : {}),
    ...('output' in record ? { output: record.output } : {}),
    ...(outputFile === undefined ? {} : { outputFile }),
  };
}

/** Journals of runs, for reading them piece by piece. */
export abstract class RunLogs {
  /** Null when there is no such run of these projects, it has not started, or its data was purged. */
  abstract find(runId: string, projectIds: readonly string[] | 'any'): Promise<RunLog | null>;
}
