import { AuthorizationError, ProjectRepository, type Principal } from '@millrace/domain';
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
}
