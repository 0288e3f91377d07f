import { DomainError } from './domain-error';

/** Thrown when an `Idempotency-Key` was first used with a different request. */
export class IdempotencyKeyReusedError extends DomainError {
  readonly code = 'IDEMPOTENCY_KEY_REUSED';

  constructor() {
    super('This Idempotency-Key was used with another request within the last 24 hours.');
  }
}
