import { DomainError } from './domain-error';

/** Thrown when a token is bad or expired. */
export class InvalidBearerTokenError extends DomainError {
  readonly code = 'INVALID_BEARER_TOKEN';

  constructor() {
    super('The bearer token is malformed, expired or not ours.');
  }
}
