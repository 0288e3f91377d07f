import { DomainError } from './domain-error';

/** Thrown when a request that needs credentials has none. */
export class AuthenticationError extends DomainError {
  readonly code = 'AUTHENTICATION';

  constructor(message = 'This needs credentials: send an API key or a token as "Authorization: Bearer …".') {
    super(message);
  }
}
