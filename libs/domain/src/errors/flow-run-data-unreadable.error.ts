import { DomainError } from './domain-error';

/** Thrown when a request needs the step data of a run and this data cannot be read. */
export class FlowRunDataUnreadableError extends DomainError {
  readonly code = 'FLOW_RUN_DATA_UNREADABLE';

  constructor(flowRunId: string) {
    super(`The step data of the run ${flowRunId} cannot be read: it is damaged, or a later version wrote it.`, {
      flowRunId,
    });
  }
}
