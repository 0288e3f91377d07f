import type { FlowRunStatus } from '../run-status';
import { DomainError } from './domain-error';

/** Thrown when another run is asked of one that does not allow it. `message`: one sentence that says why. */
export class FlowRunNotRetryableError extends DomainError {
  readonly code = 'FLOW_RUN_NOT_RETRYABLE';

  constructor(flowRunId: string, status: FlowRunStatus, message: string) {
    super(message, { flowRunId, status });
  }
}
