import { DomainError } from './domain-error';

/** Thrown when a caller asks too often or for too much at once. */
export class RateLimitedError extends DomainError {
  readonly code = 'RATE_LIMITED';

  constructor(
    readonly retryAfterSeconds: number,
    what = 'Too many attempts',
    /** How many the caller may have at once, or within the time that the limit counts. */
    readonly limit?: number,
  ) {
    super(`${what}; try again in ${retryAfterSeconds} s.`);
  }
}

/** The headers of an answer with the status 429. `RateLimit-*` are those of the IETF draft, as most clients read them. */
export const rateLimitHeaders = (retryAfterSeconds: number, limit?: number): Record<string, string> => ({
  'retry-after': String(retryAfterSeconds),
  ...(limit !== undefined && { 'ratelimit-limit': String(limit) }),
  'ratelimit-remaining': '0',
  'ratelimit-reset': String(retryAfterSeconds),
});
