import {
  AuthorizationError,
  EntityNotFoundError,
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
    const [refusal] = await this.refusalsOf([{ principal, projectId }]);
    if (refusal) throw refusal;
  }

  /** Checks many at once, with one statement. Returns for each what `assertPermitted` would throw, or null. */
  async refusalsOf(
    uses: readonly { principal: Principal; projectId: string }[],
  ): Promise<(AuthorizationError | EntityNotFoundError | PermissionDeniedError | null)[]> {
    const named = uses.filter(({ principal }) => hasRoleEverywhere(principal)).map(({ projectId }) => projectId);
    const existing = named.length === 0 ? new Set() : await this.projects.existing([...new Set(named)]);
    return uses.map(({ principal, projectId }) => {
      if (roleIn(principal, projectId) === null) return new AuthorizationError(projectId);
      if (hasRoleEverywhere(principal) && !existing.has(projectId))
        return new EntityNotFoundError('project', projectId);
      const { permission, projectIds } = principal;
      const isDenied = permission && projectIds !== 'any' && !projectIds.includes(projectId);
      return isDenied ? new PermissionDeniedError(permission, projectId) : null;
    });
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

const hasRoleEverywhere = ({ roles }: Principal): boolean => typeof roles === 'string';

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
