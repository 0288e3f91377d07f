import { DomainError } from './domain-error';

/** Thrown when somebody signs up without an invitation where that is not open. */
export class SignUpDisabledError extends DomainError {
  readonly code = 'SIGN_UP_DISABLED';

  constructor() {
    super('Signing up needs an invitation.');
  }
}
