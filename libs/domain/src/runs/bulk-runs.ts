import type { FlowRunFilter } from './run-selection';

/** Ends or marks many runs at once, in batches that each hold a short transaction. */
export abstract class BulkRuns {
  /** Ids of the runs that match, oldest first, after the cursor id. */
  abstract find(filter: FlowRunFilter, afterId: string | null, limit: number): Promise<string[]>;
  /**
   * Ends those of the runs that are RUNNING or PAUSED, and all their descendants, as STOPPED; whoever executes one hears
   * of it. Answers how many of the named runs it stopped, and of those descendants that `selected` selects: they would be
   * named later.
   */
  abstract cancel(runIds: readonly string[], selected?: FlowRunFilter): Promise<number>;
  /** Marks those of the runs that are final and not archived; answers how many. */
  abstract archive(runIds: readonly string[]): Promise<number>;
}
