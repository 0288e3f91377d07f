import {
  EntityExistsError,
  EntityNotFoundError,
  LastAdministratorError,
  type ApiKey,
  type ProjectMember,
  type ProjectRole,
  type User,
  type UserInvitation,
} from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { seedProject } from '../testing/seed-project';
import { PostgresApiKeyRepository } from './postgres-api-key.repository';
import { PostgresProjectMemberRepository } from './postgres-project-member.repository';
import { PostgresProjectRepository } from './postgres-project.repository';
import { PostgresUserInvitationRepository } from './postgres-user-invitation.repository';
import { PostgresUserRepository } from './postgres-user.repository';

const NOW = new Date('2026-01-01T12:00:00.000Z');
const LATER = new Date('2026-01-01T13:00:00.000Z');

describe('members in PostgreSQL', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let members: PostgresProjectMemberRepository;
  let users: PostgresUserRepository;
  let keys: PostgresApiKeyRepository;
  let invitations: PostgresUserInvitationRepository;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'members test')).initialize();
    members = new PostgresProjectMemberRepository(dataSource);
    users = new PostgresUserRepository(dataSource);
    keys = new PostgresApiKeyRepository(dataSource);
    invitations = new PostgresUserInvitationRepository(dataSource);
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  const aUser = (more: Partial<User> = {}): User => {
    const id = anId();
    const names = { firstName: 'Ada', lastName: 'Test' };
    return { id, email: `${id}@test`, ...names, platformRole: 'MEMBER', passwordHash: 'x', created: NOW, ...more };
  };
  const project = async (): Promise<{ projectId: string; owner: ProjectMember }> => {
    const projectId = await seedProject(dataSource);
    const [owner] = (await members.list(projectId, { limit: 1, cursor: null })).data;
    return { projectId, owner: owner as ProjectMember };
  };
  const member = async (projectId: string, role: ProjectRole): Promise<ProjectMember> => {
    const user = aUser();
    await users.insert(user);
    return members.add({ id: anId(), projectId, userId: user.id, role, created: NOW, updated: NOW });
  };
  const keyBy = async ({ projectId, userId }: ProjectMember, role: ProjectRole, madeByKeyId: string | null = null) => {
    const id = anId();
    const common = { displayName: 'x', lastFour: 'abcd', expiresAt: null, lastUsedAt: null, created: NOW };
    const key: ApiKey = { id, projectId, role, createdBy: userId, madeByKeyId, hash: `hash of ${id}`, ...common };
    await keys.insert(key);
    return key;
  };
  const isLeft = async ({ hash }: ApiKey) => (await keys.findByHash(hash)) !== null;
  const eventsTo = async (projectId: string) => {
    const destination = anId();
    await dataSource.query(
      `insert into event_destination (id, project_id, url, events, secret, status, status_since, created, updated)
       values ($1, $2, 'https://x.test', '{project_member.added,project_member.removed}', '', 'ENABLED', now(), now(), now())`,
      [destination, projectId],
    );
    return async () => {
      const rows: { type: string; data: { userId: string } }[] = await dataSource.query(
        'select type, data from event_delivery where destination_id = $1 order by id',
        [destination],
      );
      return rows.map(({ type, data }) => [type, data.userId]);
    };
  };

  it('are listed with their names, newest first, a page at a time', async () => {
    const { projectId, owner } = await project();
    const second = await member(projectId, 'EDITOR');
    const first = await members.list(projectId, { limit: 1, cursor: null });
    const rest = await members.list(projectId, { limit: 1, cursor: first.next });
    expect(first.data).toEqual([
      { ...second, user: { email: `${second.userId}@test`, firstName: 'Ada', lastName: 'Test' } },
    ]);
    expect(rest.data.map(({ id }) => id)).toEqual([owner.id]);
    expect((await members.list('no-id', { limit: 1, cursor: null })).data).toEqual([]);
  });

  it('come and go with an event, and are members once', async () => {
    const { projectId } = await project();
    const events = await eventsTo(projectId);
    const guest = await member(projectId, 'VIEWER');
    await expect(members.add({ ...guest, id: anId() })).rejects.toBeInstanceOf(EntityExistsError);
    await expect(members.remove(guest.id, [anId()])).rejects.toBeInstanceOf(EntityNotFoundError);
    await members.remove(guest.id, [projectId]);
    expect(await events()).toEqual([
      ['project_member.added', guest.userId],
      ['project_member.removed', guest.userId],
    ]);
    await expect(members.remove(guest.id, 'any')).rejects.toBeInstanceOf(EntityNotFoundError);
  });

  it('keep one administrator, also when two remove each other at once', async () => {
    const { projectId, owner } = await project();
    const second = await member(projectId, 'ADMIN');
    const outcomes = await Promise.allSettled([
      members.remove(owner.id, [projectId]),
      members.changeRole(second.id, [projectId], 'VIEWER', LATER),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = outcomes.find((outcome) => outcome.status === 'rejected');
    expect(refused?.reason).toBeInstanceOf(LastAdministratorError);
  });

  it('lose the keys that their role does not allow any more, and what those have made', async () => {
    const { projectId } = await project();
    const guest = await member(projectId, 'ADMIN');
    const [high, low] = [await keyBy(guest, 'EDITOR'), await keyBy(guest, 'VIEWER')];
    const made = await keyBy(guest, 'VIEWER', high.id);
    await members.changeRole(guest.id, [projectId], 'OPERATOR', LATER);
    expect(await Promise.all([high, made, low].map(isLeft))).toEqual([false, false, true]);
    await members.remove(guest.id, [projectId]);
    expect(await isLeft(low)).toBe(false);
  });

  it('lose keys with a line of the audit log for each, also for those that a key has made', async () => {
    const { projectId } = await project();
    const [removed, deleted] = [await member(projectId, 'ADMIN'), await member(projectId, 'ADMIN')];
    const made: ApiKey[] = [];
    for (const maker of [removed, deleted]) {
      const first = await keyBy(maker, 'ADMIN');
      const second = await keyBy(maker, 'VIEWER', first.id);
      made.push(first, second, await keyBy(maker, 'VIEWER', second.id));
    }
    const alone = await keyBy(deleted, 'ADMIN');
    const below = await keyBy(deleted, 'VIEWER', alone.id);
    await keys.delete(alone.id, [projectId]);
    await members.remove(removed.id, [projectId]);
    await users.delete(deleted.userId, LATER);

    const told: { id: string }[] = await dataSource.query(
      `select target_id as id from audit_event where project_id = $1 and action = 'api_key.deleted'`,
      [projectId],
    );
    expect(told.map(({ id }) => id).sort()).toEqual([...made, alone, below].map(({ id }) => id).sort());
  });

  it('are known to those with a role in the same project', async () => {
    const [{ projectId, owner }, other] = [await project(), await project()];
    expect(await members.isMemberOfAny(owner.userId, [other.projectId, projectId])).toBe(true);
    expect(await members.isMemberOfAny(owner.userId, [other.projectId])).toBe(false);
    expect(await members.isMemberOfAny('no-id', [projectId])).toBe(false);
  });

  describe('who are invited', () => {
    const invite = async (more: Partial<UserInvitation> = {}) => {
      const { projectId, owner } = await project();
      const id = anId();
      const invitation: UserInvitation = {
        id,
        projectId,
        email: `Guest-${id}@test`,
        role: 'EDITOR',
        tokenHash: `hash of ${id}`,
        invitedBy: owner.userId,
        invitedByKeyId: null,
        expires: LATER,
        created: NOW,
        ...more,
      };
      await invitations.insert(invitation);
      return invitation;
    };
    const page = { limit: 10, cursor: null };

    it('become users and members together, once', async () => {
      const { projectId, email, tokenHash } = await invite();
      const user = aUser({ email: email.toLowerCase() });
      const accept = () => invitations.accept(tokenHash, { kind: 'new user', user }, NOW);
      const outcomes = await Promise.allSettled([accept(), accept()]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect([...(await members.rolesOf(user.id))]).toEqual([[projectId, 'EDITOR']]);
      expect((await invitations.list(projectId, NOW, page)).data).toEqual([]);
    });

    it.each([
      ['with another address', aUser(), NOW],
      ['too late', null, LATER],
    ])('are not taken %s', async (_what, other, now) => {
      const { projectId, email, tokenHash } = await invite();
      const user = other ?? aUser({ email });
      const accepted = invitations.accept(tokenHash, { kind: 'new user', user }, now);
      await expect(accepted).rejects.toBeInstanceOf(EntityNotFoundError);
      expect(await users.find(user.id)).toBeNull();
      expect((await invitations.list(projectId, NOW, page)).data).toHaveLength(1);
    });

    it('keep their invitation when their address has an account already', async () => {
      const { projectId, email, tokenHash } = await invite();
      const known = aUser({ email });
      await users.insert(known);
      const accepted = invitations.accept(tokenHash, { kind: 'new user', user: aUser({ email }) }, NOW);
      await expect(accepted).rejects.toBeInstanceOf(EntityExistsError);
      await invitations.accept(tokenHash, { kind: 'user', user: known }, NOW);
      expect([...(await members.rolesOf(known.id))]).toEqual([[projectId, 'EDITOR']]);
    });

    it('lose their invitation when it is taken back, or with the key that made it', async () => {
      const { projectId, owner } = await project();
      const key = await keyBy(owner, 'ADMIN');
      const first = await invite({ projectId, invitedByKeyId: key.id });
      const second = await invite({ projectId });
      await expect(invitations.delete(second.id, [anId()])).rejects.toBeInstanceOf(EntityNotFoundError);
      await invitations.delete(second.id, [projectId]);
      expect((await invitations.list(projectId, NOW, page)).data.map(({ id }) => id)).toEqual([first.id]);
      await keys.delete(key.id, [projectId]);
      expect((await invitations.list(projectId, NOW, page)).data).toEqual([]);
    });

    it('lose their invitation when who sent it is no administrator any more', async () => {
      const { projectId, owner } = await project();
      const [demoted, removed, deleted] = [
        await member(projectId, 'ADMIN'),
        await member(projectId, 'ADMIN'),
        await member(projectId, 'ADMIN'),
      ];
      const left = await invite({ projectId, invitedBy: owner.userId });
      for (const { userId } of [demoted, removed, deleted]) await invite({ projectId, invitedBy: userId });
      await members.changeRole(demoted.id, [projectId], 'EDITOR', LATER);
      await members.remove(removed.id, [projectId]);
      await users.delete(deleted.userId, LATER);
      expect((await invitations.list(projectId, NOW, page)).data.map(({ id }) => id)).toEqual([left.id]);
    });

    it('cannot come back with an invitation from before they were removed or deleted', async () => {
      const { projectId } = await project();
      const [removed, deleted] = [await member(projectId, 'VIEWER'), await member(projectId, 'VIEWER')];
      for (const { userId } of [removed, deleted]) await invite({ projectId, email: `${userId}@TEST` });
      const elsewhere = await invite({ email: `${removed.userId}@test` });
      await members.remove(removed.id, [projectId]);
      await users.delete(deleted.userId, LATER);
      expect((await invitations.list(projectId, NOW, page)).data).toEqual([]);
      expect((await invitations.list(elsewhere.projectId, NOW, page)).data).toHaveLength(1);
    });
  });

  describe('who are deleted', () => {
    it('leave their projects, keys and address, and cannot sign in', async () => {
      const { projectId } = await project();
      const events = await eventsTo(projectId);
      const guest = await member(projectId, 'ADMIN');
      const key = await keyBy(guest, 'VIEWER');
      await users.delete(guest.userId, LATER);

      expect(await users.find(guest.userId)).toBeNull();
      expect(await users.findByEmail(`${guest.userId}@test`)).toBeNull();
      expect([...(await members.rolesOf(guest.userId))]).toEqual([]);
      expect(await isLeft(key)).toBe(false);
      expect((await events()).at(-1)).toEqual(['project_member.removed', guest.userId]);
      await users.insert(aUser({ email: `${guest.userId}@test` }));
      await expect(users.delete(guest.userId, LATER)).rejects.toBeInstanceOf(EntityNotFoundError);
      expect((await users.list({ limit: 100, cursor: null })).data.map(({ id }) => id)).not.toContain(guest.userId);
    });

    it('are deleted whatever address another user has chosen', async () => {
      const { projectId } = await project();
      const guest = await member(projectId, 'VIEWER');
      await users.insert(aUser({ email: `${guest.userId}@deleted.invalid` }));
      await users.delete(guest.userId, LATER);
      expect(await users.find(guest.userId)).toBeNull();
    });

    it('are never the only administrator of a project, also when two are deleted at once', async () => {
      const [{ projectId, owner }, second] = [await project(), await project()];
      await members.add({ ...owner, id: anId(), projectId: second.projectId, role: 'VIEWER' });
      const refused = users.delete(owner.userId, LATER);
      await expect(refused).rejects.toBeInstanceOf(LastAdministratorError);
      await expect(refused).rejects.toMatchObject({ params: { projectIds: [projectId] } });
      expect([...(await members.rolesOf(owner.userId)).keys()].sort()).toEqual([projectId, second.projectId].sort());

      const other = await member(projectId, 'ADMIN');
      const outcomes = await Promise.allSettled([owner, other].map(({ userId }) => users.delete(userId, LATER)));
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    });

    it('are never the last administrator of the platform', async () => {
      await dataSource.query(`update app_user set platform_role = 'MEMBER'`);
      const [one, other] = [aUser({ platformRole: 'ADMIN' }), aUser({ platformRole: 'ADMIN' })];
      await users.insert(one);
      await users.insert(other);
      const outcomes = await Promise.allSettled([users.delete(one.id, LATER), users.delete(other.id, LATER)]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    });
  });

  it('of a deleted project go with it', async () => {
    const { projectId, owner } = await project();
    const key = await keyBy(owner, 'ADMIN');
    await eventsTo(projectId);
    const projects = new PostgresProjectRepository(dataSource);
    await projects.delete(projectId);
    expect([...(await members.rolesOf(owner.userId))]).toEqual([]);
    expect(await isLeft(key)).toBe(false);
    await expect(projects.delete(projectId)).rejects.toBeInstanceOf(EntityNotFoundError);
  });
});

describe('the first user of an installation', () => {
  it('is one, however many sign up at once', async () => {
    const database = await createTestDatabase();
    const dataSource = await new DataSource(dataSourceOptions(database.url, 'first user test')).initialize();
    const users = new PostgresUserRepository(dataSource);
    const user = (n: number): User => {
      const names = { firstName: 'A', lastName: 'B', passwordHash: 'x' };
      return { id: anId(), email: `${n}@test`, ...names, platformRole: 'ADMIN', created: NOW };
    };
    expect(await users.existAny()).toBe(false);
    const inserted = await Promise.all([1, 2, 3].map((n) => users.insertFirst(user(n))));
    expect(inserted.filter(Boolean)).toHaveLength(1);
    expect(await users.existAny()).toBe(true);
    await dataSource.destroy();
    await database.drop();
  });
});
