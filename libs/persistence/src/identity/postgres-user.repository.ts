import { Injectable } from '@nestjs/common';
import {
  EntityExistsError,
  EntityNotFoundError,
  isId,
  LastAdministratorError,
  normalizedEmail,
  UserRepository,
  type IssuerIdentity,
  type NamedProjectMember,
  type Page,
  type PageRequest,
  type User,
} from '@millrace/domain';
import { DataSource, In, IsNull, Raw, type EntityManager } from 'typeorm';
import { readEntityPage } from '../lists/entity-page';
import { isUniqueViolation } from '../postgres/postgres-failure';
import { insertMemberEvent, MEMBER, MEMBERS } from './member.statements';
import { revokeKeys } from './revoked-keys';
import { UserEntity } from './user.entity';
import { inEntityTransaction } from '../postgres/in-entity-transaction';

/** Changes of members lock their project first, and so does this (see member.statements.ts). */
const ADMINISTERED_PROJECTS = `
  select from project where id in (select project_id from project_member where user_id = $1 and role = 'ADMIN')
  order by id for no key update`;

/** As many are named as a person can look through. */
const ADMINISTERED_ALONE = `
  select project_id as "projectId" from project_member own
  where user_id = $1 and role = 'ADMIN' and not exists (
    select from project_member other
    where other.project_id = own.project_id and other.role = 'ADMIN' and other.user_id <> own.user_id)
  order by project_id limit 100`;

/** The user is locked before its memberships, as everywhere (see maker.statements.ts). */
const ADMINISTRATORS_AND_USER = `
  select id, platform_role as "platformRole" from app_user
  where (platform_role = 'ADMIN' or id = $1) and deleted_at is null order by id for no key update`;

/** What stands for the address has a space, so that nobody can choose it as theirs. */
const FORGET = `
  update app_user
  set email = 'deleted user ' || id, first_name = '', last_name = '', password_hash = '', platform_role = 'MEMBER',
    oauth_issuer = null, oauth_subject = null, deleted_at = $2
  where id = $1`;

const REVOKE_INVITATIONS = 'delete from user_invitation where invited_by = $1 or lower(email) = lower($2)';

/** An identity of an issuer that the installation had before gives way. */
const LINK = `
  update app_user set oauth_issuer = $2, oauth_subject = $3
  where id = $1 and deleted_at is null and oauth_issuer is distinct from $2
  returning id`;

const ANY_USER = 'select from app_user limit 1';

const PRESENT = { deletedAt: IsNull() };

@Injectable()
export class PostgresUserRepository extends UserRepository {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async insert(user: User): Promise<void> {
    try {
      await this.users.insert(user);
    } catch (error) {
      throw isUniqueViolation(error) ? new EntityExistsError('user', 'email') : error;
    }
  }

  async existAny(): Promise<boolean> {
    return (await this.dataSource.query<unknown[]>(ANY_USER)).length > 0;
  }

  async insertFirst(user: User): Promise<boolean> {
    return inEntityTransaction(this.dataSource, async (tx) => {
      await tx.query('lock table app_user in share row exclusive mode');
      if ((await tx.query<unknown[]>(ANY_USER)).length > 0) return false;
      await tx.insert(UserEntity, user);
      return true;
    });
  }

  findByEmail(email: string): Promise<User | null> {
    if (email.includes('\0')) return Promise.resolve(null);
    const isSame = Raw((column) => `lower(${column}) = lower(:email)`, { email: normalizedEmail(email) });
    return this.users.findOneBy({ email: isSame, ...PRESENT });
  }

  async find(userId: string): Promise<User | null> {
    return isId(userId) ? this.users.findOneBy({ id: userId, ...PRESENT }) : null;
  }

  async findAll(userIds: readonly string[]): Promise<User[]> {
    return userIds.length === 0 ? [] : this.users.findBy({ id: In(userIds.filter(isId)), ...PRESENT });
  }

  findByIdentity({ issuer: oauthIssuer, subject: oauthSubject }: IssuerIdentity): Promise<User | null> {
    return this.users.findOneBy({ oauthIssuer, oauthSubject, ...PRESENT });
  }

  async linkIdentity(userId: string, { issuer, subject }: IssuerIdentity): Promise<boolean> {
    try {
      const [linked] = await this.dataSource.query<[unknown[], number]>(LINK, [userId, issuer, subject]);
      return linked.length > 0;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  async identityOf(userId: string): Promise<IssuerIdentity | null> {
    if (!isId(userId)) return null;
    const select = { oauthIssuer: true, oauthSubject: true };
    const linked = await this.users.findOne({ where: { id: userId, ...PRESENT }, select });
    if (!linked?.oauthIssuer || !linked.oauthSubject) return null;
    return { issuer: linked.oauthIssuer, subject: linked.oauthSubject };
  }

  async replaceIdentity(userId: string, identity: IssuerIdentity | null): Promise<void> {
    const set = { oauthIssuer: identity?.issuer ?? null, oauthSubject: identity?.subject ?? null };
    try {
      const { affected } = await this.users.update({ id: userId, ...PRESENT }, set);
      if (affected !== 1) throw new EntityNotFoundError('user', userId);
    } catch (error) {
      throw isUniqueViolation(error) ? new EntityExistsError('user', 'subject') : error;
    }
  }

  list(page: PageRequest): Promise<Page<User>> {
    return readEntityPage(this.users, page, { filters: ['users'], where: PRESENT });
  }

  async delete(userId: string, now: Date): Promise<void> {
    if (!isId(userId)) throw new EntityNotFoundError('user', userId);
    await inEntityTransaction(this.dataSource, async (tx) => {
      await tx.query(ADMINISTERED_PROJECTS, [userId]);
      // Two administrators who delete each other wait here for one another.
      const locked: Pick<User, 'id' | 'platformRole'>[] = await tx.query(ADMINISTRATORS_AND_USER, [userId]);
      const user = await tx.findOneBy(UserEntity, { id: userId, ...PRESENT });
      if (!user) throw new EntityNotFoundError('user', userId);
      const others = locked.filter(({ id }) => id !== user.id);
      if (others.every(({ platformRole }) => platformRole !== 'ADMIN')) throw new LastAdministratorError();
      await assertAdministratorsStay(tx, userId);
      await removeEverywhere(tx, userId);
      await tx.query('delete from user_session where user_id = $1', [userId]);
      await revokeKeys(tx, 'created_by = $1', [userId]);
      await tx.query(REVOKE_INVITATIONS, [userId, user.email]);
      await tx.query(FORGET, [userId, now]);
    });
  }

  private get users() {
    return this.dataSource.getRepository(UserEntity);
  }
}

/** Throws LastAdministratorError when a project has no other administrator than the user. */
async function assertAdministratorsStay(tx: EntityManager, userId: string): Promise<void> {
  const alone: { projectId: string }[] = await tx.query(ADMINISTERED_ALONE, [userId]);
  if (alone.length > 0) throw new LastAdministratorError(alone.map(({ projectId }) => projectId));
}

async function removeEverywhere(tx: EntityManager, userId: string): Promise<void> {
  const memberships: NamedProjectMember[] = await tx.query(
    `select ${MEMBER} from ${MEMBERS} where member.user_id = $1 for update of member`,
    [userId],
  );
  await tx.query('delete from project_member where user_id = $1', [userId]);
  for (const membership of memberships) await insertMemberEvent(tx, membership, 'project_member.removed');
}
