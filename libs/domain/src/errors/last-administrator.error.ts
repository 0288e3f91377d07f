import { DomainError } from './domain-error';

/** Thrown when a change would leave projects or the platform without an administrator. */
export class LastAdministratorError extends DomainError {
  readonly code = 'LAST_ADMINISTRATOR';

  /** One project, or the projects of a user who is deleted; without any, the platform. */
  constructor(projects?: string | readonly string[]) {
    super(`This is the last administrator of ${named(projects)}.`, paramsOf(projects));
  }
}

function named(projects: string | readonly string[] | undefined): string {
  if (projects === undefined) return 'the platform';
  const ids = [projects].flat().map((id) => JSON.stringify(id));
  return `the project${ids.length > 1 ? 's' : ''} ${ids.join(', ')}`;
}

function paramsOf(projects: string | readonly string[] | undefined): Record<string, unknown> {
  if (projects === undefined) return {};
  return typeof projects === 'string' ? { projectId: projects } : { projectIds: projects };
}
