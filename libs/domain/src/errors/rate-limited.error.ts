import { DomainError } from './domain-error';

/** Thrown when a caller asks too often or for too much at once. */
export class RateLimitedError extends DomainError {
  readonly code = 'RATE_LIMITED';

  constructor(
    readonly retryAfterSeconds: number,
    what = 'Too many attempts',
  ) {
    super(`${what}; try again in ${retryAfterSeconds} s.`);
  }
}
