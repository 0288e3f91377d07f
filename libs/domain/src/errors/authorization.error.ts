import { DomainError } from './domain-error';

/** Thrown when the caller has no role in the project it names. */
export class AuthorizationError extends DomainError {
  readonly code = 'AUTHORIZATION';

  constructor(projectId: string) {
    super(`You have no role in the project ${JSON.stringify(projectId)}.`, { projectId });
  }
}
