import { DomainError } from './domain-error';

/** Thrown when a request was not accepted because the service cannot keep it now. */
export class ServiceUnavailableError extends DomainError {
  readonly code = 'SERVICE_UNAVAILABLE';

  constructor(
    message: string,
    readonly retryAfterSeconds = 5,
    options?: { cause?: unknown },
  ) {
    super(message, {}, options);
  }
}
