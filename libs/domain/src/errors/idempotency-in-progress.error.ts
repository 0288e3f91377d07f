import { DomainError } from './domain-error';

/** Thrown when the first request with an `Idempotency-Key` has not been answered yet. */
export class IdempotencyInProgressError extends DomainError {
  readonly code = 'IDEMPOTENCY_IN_PROGRESS';

  constructor() {
    super('A request with this Idempotency-Key is still under way; try again in a moment.');
  }
}
