import { DomainError } from './domain-error';

/** Thrown when an API key is unknown or revoked. */
export class InvalidApiKeyError extends DomainError {
  readonly code = 'INVALID_API_KEY';

  constructor() {
    super('The API key is unknown, expired or revoked.');
  }
}
