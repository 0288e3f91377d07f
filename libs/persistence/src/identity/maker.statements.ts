import {
  AuthorizationError,
  EntityNotFoundError,
  grants,
  InvalidApiKeyError,
  InvalidBearerTokenError,
  isAtLeast,
  PermissionDeniedError,
  type Permission,
  type PlatformRole,
  type ProjectRole,
} from '@millrace/domain';
import type { EntityManager } from 'typeorm';

// Keys and invitations give rights, and go with the rights of who has made them. Removals delete those that they see. So
// a new one is inserted while its maker's rights are locked: a removal under way is waited for and then refuses the
// insert, and a later one waits and then sees what was inserted.
//
// The locks are taken in this order everywhere: project, user, member, key (docs/adr/0065).

/** Conflicts with the deletion of the project only. */
const PROJECT = 'select from project where id = $1 for key share';

const KEY = 'select from api_key where id = $1 for key share';

const USER = `
  select platform_role as "platformRole" from app_user where id = $1 and deleted_at is null for share`;

const MEMBER = 'select role from project_member where user_id = $1 and project_id = $2 for share';

/** Who makes something: a user, or a key of that user. */
export interface Maker {
  userId: string;
  keyId: string | null;
}

/** What is made: something of a project, or of the platform (null), that lets its holder do what the role may. */
export interface Made {
  projectId: string | null;
  role: ProjectRole;
  permission: Permission;
}

/** Locks what the maker may do until the end of the transaction. Throws the error of a request that comes too late. */
export async function lockMaker(tx: EntityManager, { userId, keyId }: Maker, made: Made): Promise<void> {
  const { projectId } = made;
  const isThere = projectId === null || (await exists(tx, PROJECT, projectId));
  if (keyId === null) await lockUser(tx, userId, made);
  else if (!(await exists(tx, KEY, keyId))) throw new InvalidApiKeyError();
  if (!isThere) throw new EntityNotFoundError('project', projectId);
}

async function lockUser(tx: EntityManager, userId: string, { projectId, role, permission }: Made): Promise<void> {
  const [user]: { platformRole: PlatformRole }[] = await tx.query(USER, [userId]);
  if (!user) throw new InvalidBearerTokenError();
  if (user.platformRole === 'ADMIN') return;
  if (projectId === null) throw new PermissionDeniedError(permission);
  const [member]: { role: ProjectRole }[] = await tx.query(MEMBER, [userId, projectId]);
  if (!member) throw new AuthorizationError(projectId);
  if (!grants(member.role, permission) || !isAtLeast(member.role, role))
    throw new PermissionDeniedError(permission, projectId);
}

const exists = async (tx: EntityManager, text: string, id: string): Promise<boolean> =>
  (await tx.query<unknown[]>(text, [id])).length > 0;
