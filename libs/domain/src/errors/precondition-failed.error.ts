import { DomainError } from './domain-error';

/** Thrown when `If-Match` names a state of the flow that is not its present one. */
export class PreconditionFailedError extends DomainError {
  readonly code = 'PRECONDITION_FAILED';

  constructor(entityType: string, entityId: string, etag: string) {
    super(`The ${entityType} was changed since it was read; read it again and repeat the change.`, {
      entityType,
      entityId,
      etag,
    });
  }
}
