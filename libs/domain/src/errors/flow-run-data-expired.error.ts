import { DomainError } from './domain-error';

/** Thrown when a request needs the step data of a run that was purged. */
export class FlowRunDataExpiredError extends DomainError {
  readonly code = 'FLOW_RUN_DATA_EXPIRED';

  constructor(flowRunId: string, retentionDays: number) {
    super(`The step data of the run ${flowRunId} is older than ${retentionDays} days and was deleted.`, {
      flowRunId,
      retentionDays,
    });
  }
}
