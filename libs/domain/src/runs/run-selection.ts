import type { FlowRunStatus } from '../run-status';

/** What selects runs: for lists, counts and bulk calls. Absent means all. Times are UTC. */
export interface FlowRunFilter {
  projectId: string;
  flowId?: string;
  status?: readonly FlowRunStatus[];
  /** The run has all of them. */
  tags?: readonly string[];
  failedStepName?: string;
  createdAfter?: Date;
  createdBefore?: Date;
  flowRunIds?: readonly string[];
  excludeFlowRunIds?: readonly string[];
  environment?: 'PRODUCTION' | 'TESTING';
  /** Only runs that no other run is a retry of. */
  withoutRetry?: boolean;
  /** Absent: false. */
  includeArchived?: boolean;
}
