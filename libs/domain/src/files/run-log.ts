import type { FlowRunStatus } from '../run-status';
import { REDACTED } from '../connections/secrets';
import type { OutputFile, RecordedStep } from '../journal/step-record';
import { withoutRequestLinks } from '../runs/request-links';

// The log of a run is its journal (docs/adr/0008) as lines: the run first, then each record in the order of writing.
// A link may show a log to others, so the log contains no request ids: a reader could answer a request by its id.

const UNREADABLE = 'Some of the steps are here and cannot be read: they are damaged, or a later version wrote them.';

/** The run that the first line of a log describes. */
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
  /** The records in the order of writing, several at a time. */
  records: AsyncIterable<readonly RecordedStep[] | 'unreadable'>;
}

/** A line of the log that describes a step. */
export interface LoggedStep {
  step: string;
  type: string;
  status: string;
  /** How long the step executed, in milliseconds. */
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

/** The content of the file as JSON lines. Each piece of text ends with a whole line. */
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

/**
 * Request ids also stand in the output of the step that makes links, and in the input of the step that sends them. Those
 * of other runs, which a parent has passed on, are found by their links.
 */
function lineOf(record: RecordedStep, requestIds: ReadonlySet<string>): string {
  let line = withoutRequestLinks(JSON.stringify(loggedStep(record)));
  for (const id of requestIds) line = line.replaceAll(id, REDACTED);
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
    ...(outputFile === undefined ? {} : { outputFile: { fileId: outputFile.fileId, bytes: outputFile.bytes } }),
  };
}

/** Reads journals of runs piece by piece. */
export abstract class RunLogs {
  /** Null when these projects have no such run, when the run has not started, or when its data was purged. */
  abstract find(runId: string, projectIds: readonly string[] | 'any'): Promise<RunLog | null>;
}
