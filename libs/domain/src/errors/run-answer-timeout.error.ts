import { DomainError } from './domain-error';

/** Thrown to the caller that waits for a run's response when the time is over. The run continues. */
export class RunAnswerTimeoutError extends DomainError {
  readonly code = 'REQUEST_TIMEOUT';

  constructor(flowRunId: string, waitedSeconds: number) {
    super(`The run ${flowRunId} has not answered within ${waitedSeconds} s; it goes on.`, { flowRunId });
  }
}
