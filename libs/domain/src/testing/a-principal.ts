import { anId } from './an-id';
import type { ProjectRole } from '../identity/permissions';
import type { UserPrincipal } from '../identity/principal';

/** A user with one role in every project, or a role in each project named. */
export function aPrincipal(
  roles: ProjectRole | Record<string, ProjectRole> = 'ADMIN',
  more: Partial<UserPrincipal> = {},
): UserPrincipal {
  const everywhere = typeof roles === 'string';
  return {
    kind: 'user',
    userId: anId(),
    roles: everywhere ? roles : new Map(Object.entries(roles)),
    projectIds: everywhere ? 'any' : Object.keys(roles),
    platformAdmin: roles === 'ADMIN',
    ...more,
  };
}
