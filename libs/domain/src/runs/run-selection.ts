import type { WaitKind } from '../journal/step-wait';
import type { FlowRunStatus } from '../run-status';

/** Selects runs for lists, counts and bulk calls. An absent member selects all runs. Times are UTC. */
export interface FlowRunFilter {
  projectId: string;
  flowId?: string;
  status?: readonly FlowRunStatus[];
  /** Selects runs that have all of these tags. */
  tags?: readonly string[];
  failedStepName?: string;
  /** Selects failed runs whose message has this fingerprint. */
  fingerprint?: string;
  /** Selects paused runs with an open wait of this kind. */
  waitingOn?: WaitKind;
  createdAfter?: Date;
  createdBefore?: Date;
  flowRunIds?: readonly string[];
  /** Selects runs that this run started. */
  parentRunId?: string;
  /** Selects runs that retry or rerun this run. */
  retryOfRunId?: string;
  excludeFlowRunIds?: readonly string[];
  environment?: 'PRODUCTION' | 'TESTING';
  /** True selects only runs that no other run retries. */
  withoutRetry?: boolean;
  /** False when it is absent. */
  includeArchived?: boolean;
}
