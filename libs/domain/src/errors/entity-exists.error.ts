import { DomainError } from './domain-error';

/** Thrown when a unique field is taken. */
export class EntityExistsError extends DomainError {
  readonly code = 'ENTITY_EXISTS';

  constructor(entityType: string, field: string) {
    super(`A ${entityType} with this ${field} exists already.`, { entityType, field });
  }
}
