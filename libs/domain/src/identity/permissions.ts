/** What a role in a project lets its holder do. */
export const PERMISSIONS = [
  'READ_FLOW',
  'READ_FOLDER',
  'READ_RUN',
  'READ_CONNECTION',
  'READ_PROJECT',
  'READ_MEMBER',
  'UPDATE_FLOW_STATUS',
  'WRITE_RUN',
  'WRITE_CONNECTION',
  'WRITE_FLOW',
  'WRITE_FOLDER',
  'WRITE_PROJECT',
  'WRITE_MEMBER',
  'WRITE_API_KEY',
  'READ_AUDIT',
  'WRITE_EVENT_DESTINATION',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** The roles, from the one with the fewest permissions to the one with all. */
export const PROJECT_ROLES = ['VIEWER', 'OPERATOR', 'EDITOR', 'ADMIN'] as const;
export type ProjectRole = (typeof PROJECT_ROLES)[number];

/** The permissions that each role has beyond those of the role before it. */
const ADDED_BY_ROLE: Readonly<Record<ProjectRole, readonly Permission[]>> = {
  VIEWER: ['READ_FLOW', 'READ_FOLDER', 'READ_RUN', 'READ_CONNECTION', 'READ_PROJECT', 'READ_MEMBER'],
  OPERATOR: ['UPDATE_FLOW_STATUS', 'WRITE_RUN', 'WRITE_CONNECTION'],
  EDITOR: ['WRITE_FLOW', 'WRITE_FOLDER'],
  ADMIN: ['WRITE_PROJECT', 'WRITE_MEMBER', 'WRITE_API_KEY', 'READ_AUDIT', 'WRITE_EVENT_DESTINATION'],
};

const LOWEST_ROLE = new Map(
  PROJECT_ROLES.flatMap((role) => ADDED_BY_ROLE[role].map((permission) => [permission, role] as const)),
);

/** Says whether a role has a permission. */
export function grants(role: ProjectRole, permission: Permission): boolean {
  const lowest = LOWEST_ROLE.get(permission);
  return lowest !== undefined && isAtLeast(role, lowest);
}

export const isAtLeast = (role: ProjectRole, other: ProjectRole): boolean =>
  PROJECT_ROLES.indexOf(role) >= PROJECT_ROLES.indexOf(other);
