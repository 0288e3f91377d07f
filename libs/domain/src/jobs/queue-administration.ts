/** How many jobs of the queue are in each state. `waiting` includes prioritized jobs. */
export interface QueueCounts {
  waiting: number;
  active: number;
  completed: number;
  failed: number;
  delayed: number;
  /** The waiting jobs of a paused queue. */
  paused: number;
}

/** What administrators of the platform see of the queue of runs, and may do with its jobs. */
export abstract class QueueAdministration {
  /** Counts the jobs. It takes longer the more there are. */
  abstract counts(): Promise<QueueCounts>;
  /**
   * Puts a failed job back into the queue, with all its attempts before it. Throws EntityNotFoundError and
   * JobNotFailedError. Whether its runs are executed again is decided by their rows, as for every job.
   */
  abstract retryFailed(jobId: string): Promise<void>;
}
