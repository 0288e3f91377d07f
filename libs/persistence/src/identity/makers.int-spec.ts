import type { ApiKey, ProjectMember, ProjectRole, User, UserInvitation } from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import { DataSource, type EntityManager } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresApiKeyRepository } from './postgres-api-key.repository';
import { PostgresProjectMemberRepository } from './postgres-project-member.repository';
import { PostgresProjectRepository } from './postgres-project.repository';
import { PostgresUserInvitationRepository } from './postgres-user-invitation.repository';
import { PostgresUserRepository } from './postgres-user.repository';

const NOW = new Date('2026-01-01T12:00:00.000Z');
const PAGE = { limit: 10, cursor: null };

describe('what gives rights', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let members: PostgresProjectMemberRepository;
  let projects: PostgresProjectRepository;
  let users: PostgresUserRepository;
  let keys: PostgresApiKeyRepository;
  let invitations: PostgresUserInvitationRepository;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'makers test')).initialize();
    members = new PostgresProjectMemberRepository(dataSource);
    projects = new PostgresProjectRepository(dataSource);
    users = new PostgresUserRepository(dataSource);
    keys = new PostgresApiKeyRepository(dataSource);
    invitations = new PostgresUserInvitationRepository(dataSource);
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  const member = async (role: ProjectRole = 'ADMIN'): Promise<ProjectMember> => {
    const [projectId, userId] = [await seedProject(dataSource), anId()];
    const names = { firstName: 'Ada', lastName: 'Test', passwordHash: 'x' };
    const user: User = { id: userId, email: `${userId}@test`, ...names, platformRole: 'MEMBER', created: NOW };
    await users.insert(user);
    return members.add({ id: anId(), projectId, userId, role, created: NOW, updated: NOW });
  };
  const aKey = (projectId: string | null, createdBy: string, madeByKeyId: string | null = null): ApiKey => {
    const id = anId();
    const common = { displayName: 'x', lastFour: 'abcd', expiresAt: null, lastUsedAt: null, created: NOW };
    return { id, projectId, role: 'ADMIN', createdBy, madeByKeyId, hash: `hash of ${id}`, ...common };
  };
  const anInvitation = ({ projectId, userId }: ProjectMember): UserInvitation => ({
    id: anId(),
    projectId,
    email: `${anId()}@test`,
    role: 'VIEWER',
    tokenHash: `hash of ${anId()}`,
    invitedBy: userId,
    invitedByKeyId: null,
    expires: new Date(NOW.getTime() + 60_000),
    created: NOW,
  });
  /** Does something while the changes are made and not committed. */
  const during = async <T>(change: (tx: EntityManager) => Promise<unknown>, act: () => Promise<T>): Promise<T> => {
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    await change(runner.manager);
    const acting = act();
    acting.catch(() => undefined);
    await runner.commitTransaction();
    await runner.release();
    return acting;
  };
  const demote = ({ id }: ProjectMember) => ({
    text: `update project_member set role = 'EDITOR' where id = $1`,
    values: [id],
  });
  const remove = ({ id }: ProjectMember) => ({ text: 'delete from project_member where id = $1', values: [id] });
  const forget = ({ userId }: ProjectMember) => ({
    text: 'update app_user set deleted_at = now() where id = $1',
    values: [userId],
  });

  it.each([
    ['demoted', demote, 'PERMISSION_DENIED'],
    ['removed', remove, 'AUTHORIZATION'],
    ['deleted', forget, 'INVALID_BEARER_TOKEN'],
  ] as const)('is not made by who is %s meanwhile', async (_what, change, code) => {
    const maker = await member();
    const { text, values } = change(maker);
    const key = aKey(maker.projectId, maker.userId);
    const inserted = await during(
      (tx) => tx.query(text, values),
      () => Promise.allSettled([keys.insert(key), invitations.insert(anInvitation(maker))]),
    );
    expect(inserted).toEqual(Array(2).fill({ status: 'rejected', reason: expect.objectContaining({ code }) as Error }));
    expect(await keys.findByHash(key.hash)).toBeNull();
  });

  it('is not made by a key that is revoked meanwhile', async () => {
    const { projectId, userId } = await member();
    const key = aKey(projectId, userId);
    await keys.insert(key);
    const inserted = during(
      (tx) => tx.query('delete from api_key where id = $1', [key.id]),
      () => keys.insert(aKey(projectId, userId, key.id)),
    );
    await expect(inserted).rejects.toMatchObject({ code: 'INVALID_API_KEY' });
  });

  it('is not made in a project that is deleted meanwhile', async () => {
    const [maker, platform] = [await member(), await member()];
    await dataSource.query(`update app_user set platform_role = 'ADMIN' where id = $1`, [platform.userId]);
    const inserted = await during(
      async (tx) => {
        await tx.query('select from project where id = $1 for update', [maker.projectId]);
        await tx.query('delete from project where id = $1', [maker.projectId]);
      },
      () => Promise.allSettled([maker, platform].map(({ userId }) => keys.insert(aKey(maker.projectId, userId)))),
    );
    expect(inserted).toMatchObject([
      { reason: { code: 'AUTHORIZATION' } },
      { reason: { code: 'ENTITY_NOT_FOUND', params: { entityType: 'project', entityId: maker.projectId } } },
    ]);
  });

  it('is refused to those whose role does not allow it, and of the platform to all but its administrators', async () => {
    const editor = await member('EDITOR');
    const [ofProject, ofPlatform] = [aKey(editor.projectId, editor.userId), aKey(null, editor.userId)];
    for (const key of [ofProject, ofPlatform])
      await expect(keys.insert(key)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  describe('and is being made while its maker', () => {
    /** Begins to insert a key, acts while that cannot go on, and resolves when both are done. */
    const making = async (maker: ProjectMember, act: (maker: ProjectMember) => Promise<unknown>) => {
      const key = aKey(maker.projectId, maker.userId);
      const runner = dataSource.createQueryRunner();
      await runner.startTransaction();
      await runner.query('lock table audit_event in share mode');
      const inserted = keys.insert(key);
      await untilWaiting(dataSource, 1);
      const acted = act(maker);
      await Promise.race([acted, untilWaiting(dataSource, 2)]);
      await runner.rollbackTransaction();
      await runner.release();
      await Promise.all([inserted, acted]);
      return key;
    };

    it.each([
      ['is demoted', ({ id }: ProjectMember) => members.changeRole(id, 'any', 'VIEWER', NOW)],
      ['is removed', ({ id }: ProjectMember) => members.remove(id, 'any')],
      ['is deleted', ({ userId }: ProjectMember) => users.delete(userId, NOW)],
      ['loses the project', ({ projectId }: ProjectMember) => projects.delete(projectId)],
    ])('%s, goes with that', async (_what, act) => {
      const maker = await member();
      const key = await making(maker, act);
      expect(await keys.findByHash(key.hash)).toBeNull();
      expect((await keys.list({ projectIds: [maker.projectId] }, PAGE)).data).toEqual([]);
    });
  });
});

/** Resolves when so many connections wait for a lock of another. */
async function untilWaiting(dataSource: DataSource, connections: number): Promise<void> {
  const text = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  while ((await dataSource.query<unknown[]>(text)).length < connections);
}
