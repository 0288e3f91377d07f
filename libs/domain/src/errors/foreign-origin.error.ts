import { DomainError } from './domain-error';

/** Thrown when a request that a cookie authenticates comes from a page of another origin. */
export class ForeignOriginError extends DomainError {
  readonly code = 'PERMISSION_DENIED';

  constructor() {
    super('A session in a cookie can be used from the pages of this service only.');
  }
}
