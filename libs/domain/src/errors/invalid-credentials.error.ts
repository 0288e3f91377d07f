import { DomainError } from './domain-error';

/** Thrown when a sign-in is refused. An unknown user and a wrong password get the same error. */
export class InvalidCredentialsError extends DomainError {
  readonly code = 'INVALID_CREDENTIALS';

  constructor() {
    super('The e-mail address or the password is wrong.');
  }
}
