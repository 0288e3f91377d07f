/** Lower number first. */
export const JOB_PRIORITY = { webhook: 1, schedule: 5, maintenance: 10 } as const;
export type JobPriority = (typeof JOB_PRIORITY)[keyof typeof JOB_PRIORITY];

/** Levels are further apart than the priorities within one. */
const PRIORITIES_PER_LEVEL = 16;

/**
 * Where a job stands in the queue; smaller is sooner. First by the level of its project's backlog, so that nobody waits for
 * a project that floods the queue; within a level by its kind, and what goes on is before what begins.
 */
export const placeInQueue = (priority: JobPriority, level: number, goesOn: boolean): number =>
  Math.max(1, level * PRIORITIES_PER_LEVEL + (goesOn ? 0 : priority));

export const JOB_ATTEMPTS = 3;
/** First wait between attempts; doubles each time. */
export const JOB_BACKOFF_MS = 1_000;
export const COMPLETED_JOB_RETENTION_SECONDS = 3_600;
/** Most runs one queue job may carry: the runs of one commit group travel together. */
export const MAX_RUNS_PER_JOB = 16;
