import type { FlowRunStatus } from '../run-status';
import { DomainError } from './domain-error';

/** Thrown when a caller resumes a run that does not wait for this. */
export class FlowRunNotPausedError extends DomainError {
  readonly code = 'FLOW_RUN_NOT_PAUSED';

  constructor(flowRunId: string, status: FlowRunStatus, message = `The run ${flowRunId} does not wait for this.`) {
    super(message, { flowRunId, status });
  }
}
