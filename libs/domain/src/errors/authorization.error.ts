import { DomainError } from './domain-error';
import { shownId } from './shown-id';

/** Thrown when the caller has no role in the project it names. */
export class AuthorizationError extends DomainError {
  readonly code = 'AUTHORIZATION';

  constructor(projectId: string, message = `You have no role in the project ${JSON.stringify(shownId(projectId))}.`) {
    super(message, { projectId: shownId(projectId) });
  }
}
