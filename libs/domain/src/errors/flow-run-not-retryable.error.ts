import type { FlowRunStatus } from '../run-status';
import { DomainError } from './domain-error';

/** Thrown when a run does not allow another try. `message` is one sentence that says why. */
export class FlowRunNotRetryableError extends DomainError {
  readonly code = 'FLOW_RUN_NOT_RETRYABLE';

  constructor(flowRunId: string, status: FlowRunStatus, message: string) {
    super(message, { flowRunId, status });
  }
}
