/** Lower number first. */
export const JOB_PRIORITY = { webhook: 1, schedule: 5, maintenance: 10 } as const;
export type JobPriority = (typeof JOB_PRIORITY)[keyof typeof JOB_PRIORITY];

export const JOB_ATTEMPTS = 3;
/** First wait between attempts; doubles each time. */
export const JOB_BACKOFF_MS = 1_000;
export const COMPLETED_JOB_RETENTION_SECONDS = 3_600;
/** Most runs one queue job may carry: the runs of one commit group travel together. */
export const MAX_RUNS_PER_JOB = 16;
