import { DomainError } from './domain-error';

/**
 * Thrown when the service cannot store a request now. Without `flowRunId` the request was not accepted. With
 * `flowRunId` this is uncertain: a run with this id may exist, or may still come to exist.
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
