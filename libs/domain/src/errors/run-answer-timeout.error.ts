import { DomainError } from './domain-error';

/** Thrown to who waits for a run's response when there was none in time; the run goes on. */
export class RunAnswerTimeoutError extends DomainError {
  readonly code = 'REQUEST_TIMEOUT';

  constructor(flowRunId: string, waitedSeconds: number) {
    super(`The run ${flowRunId} has not answered within ${waitedSeconds} s; it goes on.`, { flowRunId });
  }
}
