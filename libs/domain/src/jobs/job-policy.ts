/** A job with a lower number goes first. */
export const JOB_PRIORITY = { webhook: 1, schedule: 5, maintenance: 10 } as const;
export type JobPriority = (typeof JOB_PRIORITY)[keyof typeof JOB_PRIORITY];

/** This is more than the largest priority, so that a level always weighs more than a priority. */
const PRIORITIES_PER_LEVEL = 16;

/**
 * Where a job stands in the queue; a smaller place is sooner. The level of its project's backlog counts first, so that
 * no project waits for one that floods the queue. Within a level resumed runs come first, then the priority counts.
 */
export const placeInQueue = (priority: JobPriority, level: number, goesOn: boolean): number =>
  Math.max(1, level * PRIORITIES_PER_LEVEL + (goesOn ? 0 : priority));

export const JOB_ATTEMPTS = 3;
/** The back-off after the first attempt, in milliseconds; it doubles with each attempt. */
export const JOB_BACKOFF_MS = 1_000;
export const COMPLETED_JOB_RETENTION_SECONDS = 3_600;
/** The most runs that one job may carry. The runs of one commit group share jobs. */
export const MAX_RUNS_PER_JOB = 16;
