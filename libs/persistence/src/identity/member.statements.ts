import {
  EntityExistsError,
  EntityNotFoundError,
  isAtLeast,
  isId,
  LastAdministratorError,
  PROJECT_ROLES,
  type EventKind,
  type NamedProjectMember,
  type ProjectMember,
  type ProjectRole,
} from '@millrace/domain';
import type { EntityManager } from 'typeorm';
import { insertEvents } from '../event-destinations/new-event.statements';
import type { ProjectIds } from './in-projects';
import { revokeKeys } from './revoked-keys';

// Changes of members lock their project first, so two administrators cannot remove each other at once.

const LOCK = 'select from project where id = $1 for no key update';

/** A deletion of the user waits, and then finds the membership. */
const LOCK_USER = 'select from app_user where id = $1 and deleted_at is null for share';

const INSERT = `
  insert into project_member (id, project_id, user_id, role, created, updated) values ($1, $2, $3, $4, $5, $6)
  on conflict (user_id, project_id) do nothing returning id`;

export const MEMBER = `
  member.id, member.project_id as "projectId", member.user_id as "userId", member.role, member.created, member.updated,
  json_build_object('email', email, 'firstName', first_name, 'lastName', last_name) as "user"`;

export const MEMBERS = `project_member member join app_user on app_user.id = member.user_id`;

const FIND = `select ${MEMBER} from ${MEMBERS} where member.id = $1`;

const OTHER_ADMINISTRATORS = `
  select from project_member where project_id = $1 and id <> $2 and role = 'ADMIN' limit 1`;

const REVOKE_SENT = 'delete from user_invitation where project_id = $1 and invited_by = $2';

const REVOKE_RECEIVED = 'delete from user_invitation where project_id = $1 and lower(email) = lower($2)';

/** Throws EntityExistsError when the user is a member already, and EntityNotFoundError when the user is deleted. */
export async function insertMember(tx: EntityManager, member: ProjectMember): Promise<NamedProjectMember> {
  const { id, projectId, userId, role, created, updated } = member;
  const users: unknown[] = await tx.query(LOCK_USER, [userId]);
  if (users.length === 0) throw new EntityNotFoundError('user', userId);
  const made: unknown[] = await tx.query(INSERT, [id, projectId, userId, role, created, updated]);
  if (made.length === 0) throw new EntityExistsError('project_member', 'userId');
  const added = await findMember(tx, id, [projectId]);
  await insertMemberEvent(tx, added, 'project_member.added');
  return added;
}

/** Returns the member under the lock of its project. Throws EntityNotFoundError. */
export async function lockMember(tx: EntityManager, id: string, projectIds: ProjectIds): Promise<NamedProjectMember> {
  const { projectId } = await findMember(tx, id, projectIds);
  await tx.query(LOCK, [projectId]);
  return findMember(tx, id, projectIds);
}

async function findMember(tx: EntityManager, id: string, projectIds: ProjectIds): Promise<NamedProjectMember> {
  const [member]: NamedProjectMember[] = isId(id) ? await tx.query(FIND, [id]) : [];
  if (member && (projectIds === 'any' || projectIds.includes(member.projectId))) return member;
  throw new EntityNotFoundError('project_member', id);
}

/** Throws LastAdministratorError when the project has no other administrator than this member. */
export async function assertOtherAdministrator(tx: EntityManager, { id, projectId }: ProjectMember): Promise<void> {
  const others: unknown[] = await tx.query(OTHER_ADMINISTRATORS, [projectId, id]);
  if (others.length === 0) throw new LastAdministratorError(projectId);
}

/** Revokes the keys that the member has made and that may do more than the role; null leaves none. */
export async function revokeKeysAbove(
  tx: EntityManager,
  { projectId, userId }: ProjectMember,
  role: ProjectRole | null,
): Promise<void> {
  const above = PROJECT_ROLES.filter((each) => role === null || !isAtLeast(role, each));
  await revokeKeys(tx, 'project_id = $1 and created_by = $2 and role = any($3)', [projectId, userId, above]);
}

/** Revokes the open invitations that the member has sent: only administrators invite. */
export async function revokeSentInvitations(tx: EntityManager, { projectId, userId }: ProjectMember): Promise<void> {
  await tx.query(REVOKE_SENT, [projectId, userId]);
}

/** Revokes the open invitations of the member's address, which would lead back into the project. */
export async function revokeReceivedInvitations(
  tx: EntityManager,
  { projectId, user }: NamedProjectMember,
): Promise<void> {
  await tx.query(REVOKE_RECEIVED, [projectId, user.email]);
}

export const insertMemberEvent = (tx: EntityManager, member: NamedProjectMember, kind: EventKind): Promise<void> =>
  insertEvents(tx, member.projectId, [kind], member);
