import { DomainError } from './domain-error';

/** Thrown when a signed link to a file is incomplete, forged or expired. */
export class InvalidFileLinkError extends DomainError {
  readonly code = 'AUTHENTICATION';

  constructor(problem: 'is not complete' | 'is not one of ours' | 'has expired') {
    super(`This link to a file ${problem}.`);
  }
}
