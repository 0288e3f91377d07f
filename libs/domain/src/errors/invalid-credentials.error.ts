import { DomainError } from './domain-error';

/** Thrown when a sign-in is refused; the same for an unknown user and a wrong password. */
export class InvalidCredentialsError extends DomainError {
  readonly code = 'INVALID_CREDENTIALS';

  constructor() {
    super('The e-mail address or the password is wrong.');
  }
}
