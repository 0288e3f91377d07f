import type { FinalRunStatus, FlowRunStatus } from '../run-status';

// This table alone says which status of a run may follow which.
// Invariants: a final status has no successor; every unfinished status can reach a final one.
export const RUN_TRANSITIONS: Readonly<Record<FlowRunStatus, readonly FlowRunStatus[]>> = {
  RUNNING: ['SUCCEEDED', 'FAILED', 'PAUSED', 'TIMEOUT', 'QUOTA_EXCEEDED', 'INTERNAL_ERROR', 'STOPPED'],
  PAUSED: ['RUNNING', 'FAILED', 'STOPPED', 'TIMEOUT'],
  SUCCEEDED: [],
  FAILED: [],
  QUOTA_EXCEEDED: [],
  INTERNAL_ERROR: [],
  TIMEOUT: [],
  STOPPED: [],
};

export const FLOW_RUN_STATUSES = Object.keys(RUN_TRANSITIONS) as FlowRunStatus[];

export const isFinal = (status: FlowRunStatus): status is FinalRunStatus => RUN_TRANSITIONS[status].length === 0;

export const canBecome = (from: FlowRunStatus, to: FlowRunStatus): boolean => RUN_TRANSITIONS[from].includes(to);
