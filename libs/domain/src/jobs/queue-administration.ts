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

/** What administrators of the platform see of the queue of runs. */
export abstract class QueueAdministration {
  /** Counts the jobs. It takes longer the more there are. */
  abstract counts(): Promise<QueueCounts>;
}
