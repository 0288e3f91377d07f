import { DomainError } from './domain-error';

/** Thrown when a caller asks too often. */
export class RateLimitedError extends DomainError {
  readonly code = 'RATE_LIMITED';

  constructor(readonly retryAfterSeconds: number) {
    super(`Too many attempts; try again in ${retryAfterSeconds} s.`);
  }
}
