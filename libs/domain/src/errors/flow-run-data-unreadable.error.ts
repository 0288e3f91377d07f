import { DomainError } from './domain-error';

/** Thrown when a run's step data is needed and cannot be read. */
export class FlowRunDataUnreadableError extends DomainError {
  readonly code = 'FLOW_RUN_DATA_UNREADABLE';

  constructor(flowRunId: string) {
    super(`The step data of the run ${flowRunId} cannot be read: it is damaged, or a later version wrote it.`, {
      flowRunId,
    });
  }
}
