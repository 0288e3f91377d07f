import { AuthorizationError, InvalidRequestError, ProjectRepository, type Principal } from '@millrace/domain';
import { Injectable } from '@nestjs/common';

/** Checks that a principal has a role in a project. */
@Injectable()
export class ProjectAccess {
  constructor(private readonly projects: ProjectRepository) {}

  /**
   * Throws AuthorizationError when the principal has no role in the project. For a principal that may see every
   * project, it throws EntityNotFoundError when the project does not exist.
   */
  async assertRole(principal: Principal, projectId: string): Promise<void> {
    if (principal.projectIds === 'any') await this.projects.get(projectId);
    else if (!principal.projectIds.includes(projectId)) throw new AuthorizationError(projectId);
  }

  /**
   * Returns the project that the request names, or else the only project in which the principal has a role. Throws
   * InvalidRequestError when neither exists, and the errors of `assertRole`.
   */
  async projectOf(principal: Principal, named: string | null | undefined): Promise<string> {
    const projectId = named ?? onlyProjectOf(principal);
    await this.assertRole(principal, projectId);
    return projectId;
  }
}

function onlyProjectOf({ projectIds }: Principal): string {
  const [only, ...others] = projectIds === 'any' ? [] : projectIds;
  if (only !== undefined && others.length === 0) return only;
  throw new InvalidRequestError([
    { path: '/projectId', message: 'is required, unless you have a role in one project only.' },
  ]);
}
