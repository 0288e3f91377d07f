import { maskSecrets } from '@millrace/http';

/** The members of the data of jobs that the board shows: ids, kinds and numbers. */
const SHOWN: ReadonlySet<string> = new Set([
  ...['runs', 'runId', 'flowVersionId', 'projectId', 'payload', 'executionType'],
  ...['rowId', 'epoch', 'data', 'triggerType'],
]);
const HIDDEN = '(hidden)';

/** The members of a job that may hold secrets. BullMQ's own type says that all are there. */
interface JobAsWritten {
  data: unknown;
  returnvalue: unknown;
  failedReason?: string;
  stacktrace?: string[] | null;
}

/**
 * Returns the job without what may be secret, and with its explanation in its data. Jobs of today carry ids only; a
 * member that this list does not know is hidden, so that a later kind of job shows nothing by mistake. Errors have
 * words of other systems in them, so they are masked.
 */
export function shownJob<Json extends JobAsWritten>(job: Json, explanation: object = {}): Json {
  const { failedReason, stacktrace } = job as JobAsWritten;
  return {
    ...job,
    data: { ...explanation, ...(shownData(job.data) as object), ...explanation },
    returnvalue: null,
    ...(failedReason && { failedReason: maskSecrets(failedReason) }),
    ...(stacktrace && { stacktrace: stacktrace.map(maskSecrets) }),
  };
}

function shownData(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shownData);
  if (typeof value === 'string') return maskSecrets(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, SHOWN.has(name) ? shownData(member) : HIDDEN]),
  );
}
