import type { FlowRunStatus } from '../run-status';
import { DomainError } from './domain-error';

/** Thrown to the caller that waits for a run's response when the run ended without one and did not succeed. */
export class FlowRunFailedError extends DomainError {
  readonly code = 'FLOW_RUN_FAILED';

  constructor(flowRunId: string, status: FlowRunStatus) {
    super(`The run ${flowRunId} ended as ${status} and gave no response.`, { flowRunId, status });
  }
}
