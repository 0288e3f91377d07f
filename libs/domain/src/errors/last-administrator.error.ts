import { DomainError } from './domain-error';

/** Thrown when a change would leave a project or the platform without an administrator. */
export class LastAdministratorError extends DomainError {
  readonly code = 'LAST_ADMINISTRATOR';

  constructor(projectId?: string) {
    const what = projectId === undefined ? 'the platform' : `the project ${JSON.stringify(projectId)}`;
    super(`This is the last administrator of ${what}.`, projectId === undefined ? {} : { projectId });
  }
}
