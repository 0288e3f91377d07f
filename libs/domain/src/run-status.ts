/** QUOTA_EXCEEDED is reserved: nothing sets it yet. */
export type FlowRunStatus =
  | 'RUNNING'
  | 'SUCCEEDED'
  | 'FAILED'
  | 'PAUSED'
  | 'QUOTA_EXCEEDED'
  | 'INTERNAL_ERROR'
  | 'TIMEOUT'
  | 'STOPPED';

/** The statuses of runs that have ended. */
export type FinalRunStatus = Exclude<FlowRunStatus, 'RUNNING' | 'PAUSED'>;

export type RunEnvironment = 'PRODUCTION' | 'TESTING';
