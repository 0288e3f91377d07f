import { DomainError } from './domain-error';

/** Thrown when the caller has no role in the project it names. */
export class AuthorizationError extends DomainError {
  readonly code = 'AUTHORIZATION';

  constructor(projectId: string, message = `You have no role in the project ${JSON.stringify(projectId)}.`) {
    super(message, { projectId });
  }
}
