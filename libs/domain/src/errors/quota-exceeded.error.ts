import { DomainError } from './domain-error';

/** Thrown when a project has as many of something as a setting allows. */
export class QuotaExceededError extends DomainError {
  readonly code = 'QUOTA_EXCEEDED';

  constructor(metric: string, limit: number, usage: number) {
    super(`The limit of ${limit} ${metric} is reached.`, { metric, limit, usage });
  }
}
