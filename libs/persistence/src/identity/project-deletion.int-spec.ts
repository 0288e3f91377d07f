import type { User, UserInvitation } from '@millrace/domain';
import { aFlow, aFlowVersion, anId } from '@millrace/domain/testing';
import { DataSource, type EntityManager } from 'typeorm';
import { PostgresFlowRepository } from '../flows/postgres-flow.repository';
import { PostgresFolderRepository } from '../flows/postgres-folder.repository';
import { dataSourceOptions } from '../modules/data-source';
import { nameRequestError } from '../postgres/postgres-failure';
import { aSecretBox } from '../testing/a-secret-box';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresProjectMemberRepository } from './postgres-project-member.repository';
import { PostgresProjectRepository } from './postgres-project.repository';
import { PostgresUserInvitationRepository } from './postgres-user-invitation.repository';
import { PostgresUserRepository } from './postgres-user.repository';

const NOW = new Date('2026-01-01T12:00:00.000Z');

describe('while a project is deleted', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let projects: PostgresProjectRepository;
  let flows: PostgresFlowRepository;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'project deletion test')).initialize();
    projects = new PostgresProjectRepository(dataSource);
    flows = new PostgresFlowRepository(dataSource, aSecretBox());
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  const insertFlow = (projectId: string) => {
    const flow = aFlow({ projectId, folderId: null });
    return flows.insert(flow, aFlowVersion([], { id: anId(), flowId: flow.id }));
  };
  const aUser = (email = `${anId()}@test`): User => {
    const names = { firstName: 'Ada', lastName: 'Test', passwordHash: 'x' };
    return { id: anId(), email, ...names, platformRole: 'MEMBER', created: NOW };
  };
  /** Acts while the change is made and not committed, and resolves with what the sender of the request is told. */
  const toldDuring = async (change: (tx: EntityManager) => Promise<unknown>, act: () => Promise<unknown>) => {
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    await change(runner.manager);
    const acted = act().catch(nameRequestError);
    await runner.commitTransaction();
    await runner.release();
    return acted;
  };

  it('what is inserted is told that the project is unknown', async () => {
    const folder = { id: anId(), displayName: 'Orders', created: NOW, updated: NOW };
    const acts = [
      insertFlow,
      (projectId: string) => new PostgresFolderRepository(dataSource).insert({ ...folder, projectId }),
    ];
    for (const act of acts) {
      const projectId = await seedProject(dataSource);
      const told = await toldDuring(
        async (tx) => {
          await tx.query('select from project where id = $1 for update', [projectId]);
          await tx.query('delete from project where id = $1', [projectId]);
        },
        () => act(projectId),
      );
      expect(told).toMatchObject({
        code: 'ENTITY_NOT_FOUND',
        params: { entityType: 'project', entityId: projectId },
      });
    }
  });

  it('a flow that was made before keeps the project, until it is gone too', async () => {
    const projectId = await seedProject(dataSource);
    await insertFlow(projectId);
    expect(await projects.delete(projectId)).toBe(false);
    expect((await projects.get(projectId)).id).toBe(projectId);
    await dataSource.query('delete from flow where project_id = $1', [projectId]);
    expect(await projects.delete(projectId)).toBe(true);
  });

  it('an invitation is accepted or unknown, and neither waits for the other', async () => {
    const invitations = new PostgresUserInvitationRepository(dataSource);
    for (let round = 0; round < 20; round++) {
      const [ownerId, guest] = [anId(), aUser()];
      const projectId = await seedProject(dataSource, { ownerId });
      await new PostgresUserRepository(dataSource).insert(guest);
      const [id, expires] = [anId(), new Date(NOW.getTime() + 1_000)];
      const sender = { invitedBy: ownerId, invitedByKeyId: null, expires, created: NOW };
      const invitation: UserInvitation = {
        id,
        projectId,
        email: guest.email,
        role: 'VIEWER',
        tokenHash: id,
        ...sender,
      };
      await invitations.insert(invitation);
      const [accepted, deleted] = await Promise.allSettled([
        invitations.accept(id, { kind: 'user', user: guest }, NOW),
        projects.delete(projectId),
      ]);
      expect(deleted).toEqual({ status: 'fulfilled', value: true });
      if (accepted.status === 'rejected')
        expect(nameRequestError(accepted.reason)).toMatchObject({ code: 'ENTITY_NOT_FOUND' });
    }
  });

  it('or a user, that user becomes no member any more', async () => {
    const [projectId, guest] = [await seedProject(dataSource), aUser()];
    await new PostgresUserRepository(dataSource).insert(guest);
    const member = { id: anId(), projectId, userId: guest.id, role: 'VIEWER' as const, created: NOW, updated: NOW };
    const told = await toldDuring(
      (tx) => tx.query('update app_user set deleted_at = now() where id = $1', [guest.id]),
      () => new PostgresProjectMemberRepository(dataSource).add(member),
    );
    expect(told).toMatchObject({ code: 'ENTITY_NOT_FOUND', params: { entityType: 'user', entityId: guest.id } });
  });
});
