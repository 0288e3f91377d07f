import type { Page, PageRequest } from '../page';
import type { FlowRunStatus } from '../run-status';
import type { PacedRetry, RetryUnderWay } from './paced-retry';

type ProjectIds = readonly string[] | 'any';

/** Stores paced retries. One process at a time works on each: it claims the retry and holds it for some seconds. */
export abstract class PacedRetries {
  /**
   * Inserts the retry. A caller that repeats a call with the same key gets the retry of the first call. Throws
   * QuotaExceededError when too many of the project are running.
   */
  abstract insert(retry: PacedRetry, callKey: string | null): Promise<PacedRetry>;
  /** Throws EntityNotFoundError. */
  abstract get(id: string, projectIds: ProjectIds): Promise<PacedRetry>;
  /** Lists the paced retries of a project, newest first. */
  abstract list(projectId: string, page: PageRequest): Promise<Page<PacedRetry>>;
  /** Ends a running one; others stay as they are. Throws EntityNotFoundError. */
  abstract cancel(id: string, projectIds: ProjectIds): Promise<PacedRetry>;

  /** Claims a running retry that no process holds; null when there is none. */
  abstract claim(): Promise<ClaimedRetry | null>;
  /** Saves what the claimed retry has become and holds it on. False when it is not claimed, or not running, any more. */
  abstract save(claim: ClaimedRetry, retry: RetryUnderWay): Promise<boolean>;
  /** Gives the claim up, so that another process can go on at once. */
  abstract release(claim: ClaimedRetry): Promise<void>;
  /** The status of each of these runs, by id. Unknown runs are absent. */
  abstract statusesOf(runIds: readonly string[]): Promise<ReadonlyMap<string, FlowRunStatus>>;
}

/** A paced retry, and the number of its claim. */
export interface ClaimedRetry {
  epoch: number;
  retry: RetryUnderWay;
}
