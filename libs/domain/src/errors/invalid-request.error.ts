import { DomainError } from './domain-error';

/** Thrown when a body, query or cursor is malformed. `path` is a JSON pointer. */
export class InvalidRequestError extends DomainError {
  readonly code = 'VALIDATION';

  constructor(errors: readonly { path: string; message: string }[]) {
    const first = errors[0];
    super(first ? `${first.path || 'The body'}: ${first.message}` : 'The request is malformed.', { errors });
  }
}
