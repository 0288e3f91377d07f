import { DomainError } from './domain-error';

/** Thrown when a token is bad or expired. */
export class InvalidBearerTokenError extends DomainError {
  readonly code = 'INVALID_BEARER_TOKEN';

  constructor(message = 'The bearer token is malformed, expired or not ours.') {
    super(message);
  }
}
