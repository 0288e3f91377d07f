import {
  AuthorizationError,
  InvalidRequestError,
  PermissionDeniedError,
  ProjectRepository,
  projectsWithRole,
  roleIn,
  type Principal,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';

/** Checks that a principal may do in a project what its request needs. */
@Injectable()
export class ProjectAccess {
  constructor(private readonly projects: ProjectRepository) {}

  /**
   * Throws AuthorizationError when the principal has no role in the project, and PermissionDeniedError when its role
   * does not grant the permission of the request. For a principal with a role in every project, it throws
   * EntityNotFoundError when the project does not exist.
   */
  async assertPermitted(principal: Principal, projectId: string): Promise<void> {
    if (roleIn(principal, projectId) === null) throw new AuthorizationError(projectId);
    if (typeof principal.roles === 'string') await this.projects.get(projectId);
    const { permission, projectIds } = principal;
    if (permission && projectIds !== 'any' && !projectIds.includes(projectId))
      throw new PermissionDeniedError(permission, projectId);
  }

  /**
   * Checks a request that names no project. Throws PermissionDeniedError when the principal has the permission of the
   * request in none; the error names the first of its projects.
   */
  assertPermittedSomewhere(principal: Principal): void {
    const { permission, projectIds } = principal;
    if (permission && projectIds.length === 0) throw new PermissionDeniedError(permission, firstProjectOf(principal));
  }

  /**
   * Returns the project that the request names, or else the only project in which the principal has a role. Throws
   * InvalidRequestError when neither exists, and the errors of `assertPermitted`.
   */
  async projectOf(principal: Principal, named: string | null | undefined): Promise<string> {
    const projectId = named ?? onlyProjectOf(principal);
    await this.assertPermitted(principal, projectId);
    return projectId;
  }
}

/** Returns undefined for a principal with a role in every project, and for one without any. */
export function firstProjectOf(principal: Principal): string | undefined {
  const projectIds = projectsWithRole(principal);
  return projectIds === 'any' ? undefined : projectIds[0];
}

function onlyProjectOf(principal: Principal): string {
  const projectIds = projectsWithRole(principal);
  const [only, ...others] = projectIds === 'any' ? [] : projectIds;
  if (only !== undefined && others.length === 0) return only;
  throw new InvalidRequestError([
    { path: '/projectId', message: 'is required, unless you have a role in one project only.' },
  ]);
}
