import type { FlowRunFilter } from './run-selection';

/** Ends or marks many runs at once, in batches that each hold a short transaction. */
export abstract class BulkRuns {
  /** Ids of the runs that match, oldest first, after the cursor id. */
  abstract find(filter: FlowRunFilter, afterId: string | null, limit: number): Promise<string[]>;
  /**
   * Ends those of the runs that are RUNNING or PAUSED, and their descendants, as STOPPED; the workers that execute them
   * hear of it. A descendant that is spared goes on with all that it has started. Answers how many runs it stopped.
   */
  abstract cancel(runIds: readonly string[], spared?: readonly string[]): Promise<number>;
  /** How many runs the calls of `cancel` would stop that name all runs the filter selects. */
  abstract countCancellable(filter: FlowRunFilter, spared?: readonly string[]): Promise<number>;
  /** Marks those of the runs that are final and not archived; answers how many. */
  abstract archive(runIds: readonly string[]): Promise<number>;
}
