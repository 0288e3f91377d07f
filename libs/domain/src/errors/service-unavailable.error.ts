import { DomainError } from './domain-error';

/**
 * Thrown when a request was not accepted because the service cannot keep it now. With `flowRunId` that is not known: the
 * run may be there, or come to be there, under this id.
 */
export class ServiceUnavailableError extends DomainError {
  readonly code = 'SERVICE_UNAVAILABLE';

  constructor(
    message: string,
    readonly retryAfterSeconds = 5,
    { flowRunId, ...options }: { cause?: unknown; flowRunId?: string } = {},
  ) {
    super(message, flowRunId === undefined ? {} : { flowRunId }, options);
  }
}
