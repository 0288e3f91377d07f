import { AuthorizationError, InvalidRequestError, ProjectRepository, type Principal } from '@millrace/domain';
import { Injectable } from '@nestjs/common';

/** Lets a principal into the projects it has a role in. */
@Injectable()
export class ProjectAccess {
  constructor(private readonly projects: ProjectRepository) {}

  /** Throws AuthorizationError; for whoever may see every project, EntityNotFoundError when there is none of that id. */
  async assertRole(principal: Principal, projectId: string): Promise<void> {
    if (principal.projectIds === 'any') await this.projects.get(projectId);
    else if (!principal.projectIds.includes(projectId)) throw new AuthorizationError(projectId);
  }

  /**
   * The project that a request is about: the one it names, or else the only one the principal has a role in. Throws
   * InvalidRequestError when there is none to tell, and as `assertRole` does.
   */
  async projectOf(principal: Principal, named: string | undefined): Promise<string> {
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
