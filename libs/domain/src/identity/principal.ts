import { grants, PERMISSIONS, type Permission, type ProjectRole } from './permissions';

export type PlatformRole = 'ADMIN' | 'MEMBER';

/** One role in every project, or the role in each project by its id. */
export type ProjectRoles = ProjectRole | ReadonlyMap<string, ProjectRole>;

/** Who makes a request: a user with a token, an API key, or a package for which a worker reads. */
export type Principal = UserPrincipal | ApiKeyPrincipal | PackagePrincipal;

interface PrincipalBase {
  roles: ProjectRoles;
  /**
   * The projects that this request may use; `any` stands for all of them. They are the projects whose role grants what
   * the request needs, so that no query finds more (see `permitted`).
   */
  projectIds: readonly string[] | 'any';
  /** What the request needs in a project; absent where it needs nothing but a role. */
  permission?: Permission;
  platformAdmin: boolean;
  /** The user behind the request, who owns what the request creates. For an API key it is the key's creator. */
  userId: string;
}

export interface UserPrincipal extends PrincipalBase {
  kind: 'user';
}

export interface ApiKeyPrincipal extends PrincipalBase {
  kind: 'api_key';
  apiKeyId: string;
  /** Null when the key does not expire. */
  expiresAt: Date | null;
}

/** A package reads what is in the project of its call, and changes nothing. */
export interface PackagePrincipal extends PrincipalBase {
  kind: 'package';
  projectId: string;
}

/** What packages may read. */
const READ_BY_PACKAGES: readonly Permission[] = ['READ_FLOW', 'READ_FOLDER', 'READ_RUN', 'READ_PROJECT'];

/** Says whether a route that needs this permission is open to such a principal, in any of its projects. */
export const isOpenTo = ({ kind }: Pick<Principal, 'kind'>, permission: Permission): boolean =>
  kind !== 'package' || READ_BY_PACKAGES.includes(permission);

export const packagePrincipal = (projectId: string): PackagePrincipal => ({
  kind: 'package',
  projectId,
  userId: '',
  platformAdmin: false,
  roles: new Map([[projectId, 'VIEWER']]),
  projectIds: [projectId],
});

/**
 * The name under which a change is recorded (`updatedBy`): each user and each API key is a principal of its own. Packages
 * change nothing.
 */
export function principalName(principal: Principal): string {
  if (principal.kind === 'package') return `package:${principal.projectId}`;
  return principal.kind === 'user' ? principal.userId : `api_key:${principal.apiKeyId}`;
}

/** Returns the role of the principal in a project, or null. A role in every project says nothing about its existence. */
export const roleIn = ({ roles }: Pick<Principal, 'roles'>, projectId: string): ProjectRole | null =>
  typeof roles === 'string' ? roles : (roles.get(projectId) ?? null);

/** Says whether the principal has a permission in a project that exists. */
export function mayIn(principal: Pick<Principal, 'roles'>, projectId: string, permission: Permission): boolean {
  const role = roleIn(principal, projectId);
  return role !== null && grants(role, permission);
}

/** Lists what the principal may do in a project that exists, whatever the request needs. */
export const permissionsIn = (principal: Pick<Principal, 'roles'>, projectId: string): Permission[] =>
  PERMISSIONS.filter((permission) => mayIn(principal, projectId, permission));

/** Returns the projects in which the principal has a role, whatever the request needs. */
export const projectsWithRole = ({ roles }: Pick<Principal, 'roles'>): readonly string[] | 'any' =>
  typeof roles === 'string' ? 'any' : [...roles.keys()];

/** Limits the principal to the projects in which its role grants the permission. */
export function permitted<Limited extends Principal>(principal: Limited, permission: Permission): Limited {
  return { ...principal, permission, projectIds: projectsGranting(principal.roles, permission) };
}

function projectsGranting(roles: ProjectRoles, permission: Permission): readonly string[] | 'any' {
  if (typeof roles === 'string') return grants(roles, permission) ? 'any' : [];
  return [...roles].filter(([, role]) => grants(role, permission)).map(([projectId]) => projectId);
}
