import type { FlowRunStatus } from '../run-status';

/** Selects runs for lists, counts and bulk calls. An absent member selects all runs. Times are UTC. */
export interface FlowRunFilter {
  projectId: string;
  flowId?: string;
  status?: readonly FlowRunStatus[];
  /** Selects runs that have all of these tags. */
  tags?: readonly string[];
  failedStepName?: string;
  createdAfter?: Date;
  createdBefore?: Date;
  flowRunIds?: readonly string[];
  excludeFlowRunIds?: readonly string[];
  environment?: 'PRODUCTION' | 'TESTING';
  /** True selects only runs that no other run retries. */
  withoutRetry?: boolean;
  /** False when it is absent. */
  includeArchived?: boolean;
}
