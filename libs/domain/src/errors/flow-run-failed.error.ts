import type { FlowRunStatus } from '../run-status';
import { DomainError } from './domain-error';

/** Thrown to who waits for a run's response when it ended badly without one. */
export class FlowRunFailedError extends DomainError {
  readonly code = 'FLOW_RUN_FAILED';

  constructor(flowRunId: string, status: FlowRunStatus) {
    super(`The run ${flowRunId} ended as ${status} and gave no response.`, { flowRunId, status });
  }
}
