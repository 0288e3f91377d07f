import type { FlowRunFilter } from './run-selection';

/** Cancels or archives many runs, in batches with one short transaction each. */
export abstract class BulkRuns {
  /** The ids of at most `limit` matching runs after the cursor id, oldest first. */
  abstract find(filter: FlowRunFilter, afterId: string | null, limit: number): Promise<string[]>;
  /**
   * Ends the runs that are RUNNING or PAUSED, and their descendants, as STOPPED, and notifies the workers that execute
   * them. A spared descendant continues together with all runs that it has started. Resolves with the number of stopped
   * runs.
   */
  abstract cancel(runIds: readonly string[], spared?: readonly string[]): Promise<number>;
  /** How many runs `cancel` would stop when it were called with all runs that the filter selects. */
  abstract countCancellable(filter: FlowRunFilter, spared?: readonly string[]): Promise<number>;
  /** Archives the runs that have ended and are not archived yet. Resolves with their number. */
  abstract archive(runIds: readonly string[]): Promise<number>;
}
