import type { FlowRunStatus } from '../run-status';
import type { FlowRunFilter } from '../runs/run-selection';
import { isFinal } from '../runs/run-transitions';
import type { RetryStrategy } from '../reruns/retry-run';

// A paced retry starts the retries of many runs a few each second, and stops when some of them fail. It is a row, so it
// goes on when the process that works on it ends (docs/adr/0091).
//
// R1. The ids of a slice are on record before any of its retries is started, and the ids of the retries afterwards. A
//     slice that is started twice starts no run twice, because each retry has a key.
// R2. Runs that were accepted after the paced retry are none of its runs, unless it names them.

export const PACED_RETRY_STATUSES = ['RUNNING', 'DONE', 'STOPPED', 'CANCELLED'] as const;
/**
 * `DONE`: every run was retried or passed over. `STOPPED`: too many retries failed. `CANCELLED`: a person has ended it.
 */
export type PacedRetryStatus = (typeof PACED_RETRY_STATUSES)[number];

export const MOST_PER_SECOND = 100;
/** How many paced retries of a project may be running. */
export const MOST_PACED_RETRIES = 5;
/** No more retries are started while so many have not ended, because more would only wait for workers. */
const MOST_UNFINISHED = 1_000;

export interface PacedRetry {
  id: string;
  projectId: string;
  status: PacedRetryStatus;
  filter: FlowRunFilter;
  strategy: RetryStrategy;
  ratePerSecond: number;
  /** It stops when so many of its retries have failed; null never. */
  stopAfterFailures: number | null;
  /** Who made it, and triggers the retries: a user's id, or `api_key:<id>`. */
  requestedBy: string;
  /** How many runs matched when it was made. */
  total: number;
  /** How many retries were started, and how many runs were passed over because they could not be retried. */
  started: number;
  skipped: number;
  /** How many of the retries have ended so far, and how. A retry that pauses is in neither. */
  succeeded: number;
  failed: number;
  created: Date;
  updated: Date;
  /** Null while it is running. */
  finished: Date | null;
}

/** How far a paced retry has come. Only the process that works on it needs it. */
export interface RetryPlace {
  /** The id of the last run that was retried or passed over; null before the first. */
  lastId: string | null;
  /** The runs that are being retried now. */
  slice: readonly string[];
  /** The retries that have not ended. */
  unfinished: readonly string[];
  /** Whether all runs are in a slice or before it. */
  isAllFound: boolean;
}

export type RetryUnderWay = PacedRetry & RetryPlace;

/** How many runs the next slice may have. */
export const sliceSize = ({ ratePerSecond, unfinished }: RetryUnderWay): number =>
  Math.max(0, Math.min(ratePerSecond, MOST_UNFINISHED - unfinished.length));

/** Notes the runs that are retried next. Fewer than `asked` means that there are no others. */
export const withSlice = (retry: RetryUnderWay, runIds: readonly string[], asked: number): RetryUnderWay => ({
  ...retry,
  slice: runIds,
  isAllFound: runIds.length < asked,
});

/** Notes that the retries of the slice were started. The other runs of the slice were passed over. */
export const withStarted = (retry: RetryUnderWay, retryIds: readonly string[]): RetryUnderWay => ({
  ...retry,
  slice: [],
  lastId: retry.slice.at(-1) ?? retry.lastId,
  unfinished: [...retry.unfinished, ...retryIds],
  started: retry.started + retryIds.length,
  skipped: retry.skipped + retry.slice.length - retryIds.length,
});

/** Counts the retries that have ended. A retry that is paused, or that nobody knows any more, is not waited for. */
export function withOutcomes(retry: RetryUnderWay, statuses: ReadonlyMap<string, FlowRunStatus>): RetryUnderWay {
  const isRunning = (id: string): boolean => statuses.get(id) === 'RUNNING';
  const ended = retry.unfinished.flatMap((id) => {
    const status = statuses.get(id);
    return status !== undefined && isFinal(status) ? [status] : [];
  });
  const succeeded = ended.filter((status) => status === 'SUCCEEDED').length;
  // A person who stops a retry says nothing about whether the others work.
  const failed = ended.filter((status) => status !== 'SUCCEEDED' && status !== 'STOPPED').length;
  return {
    ...retry,
    unfinished: retry.unfinished.filter(isRunning),
    succeeded: retry.succeeded + succeeded,
    failed: retry.failed + failed,
  };
}

/** The status of a paced retry that has no more to do; null for one that goes on. */
export function endingOf(retry: RetryUnderWay): Exclude<PacedRetryStatus, 'RUNNING' | 'CANCELLED'> | null {
  const { stopAfterFailures, failed, slice, isAllFound, unfinished } = retry;
  if (stopAfterFailures !== null && failed >= stopAfterFailures) return 'STOPPED';
  return isAllFound && slice.length === 0 && unfinished.length === 0 ? 'DONE' : null;
}
