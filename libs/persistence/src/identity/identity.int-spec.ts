import { EntityExistsError, EntityNotFoundError, type ApiKey, type IssuerIdentity, type User } from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import { DataSource } from 'typeorm';
import { NormalizedEmails1790766000000 } from '../migrations/1790766000000-normalized-emails';
import { dataSourceOptions } from '../modules/data-source';
import { newId } from '../postgres/new-id';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresApiKeyRepository } from './postgres-api-key.repository';
import { PostgresPrincipalNames } from './postgres-principal-names';
import { PostgresProjectMemberRepository } from './postgres-project-member.repository';
import { PostgresProjectRepository } from './postgres-project.repository';
import { PostgresResourceProjects } from './postgres-resource-projects';
import { PostgresUserRepository } from './postgres-user.repository';

const CREATED = new Date('2026-01-01T00:00:00.000Z');

describe('identity in PostgreSQL', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'identity test')).initialize();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  it('names users and keys to people, and nobody who was deleted', async () => {
    const names = new PostgresPrincipalNames(dataSource);
    const users = new PostgresUserRepository(dataSource);
    const user = (more: Partial<User>): User => ({
      id: newId(),
      email: `${newId()}@example.com`,
      firstName: 'Ada',
      lastName: 'Lovelace',
      platformRole: 'MEMBER',
      passwordHash: '$argon2id$…',
      created: CREATED,
      ...more,
    });
    const [ada, nameless, gone] = [user({ platformRole: 'ADMIN' }), user({ firstName: '', lastName: '' }), user({})];
    for (const each of [ada, nameless, gone]) await users.insert(each);
    await users.delete(gone.id, CREATED);
    const keyId = newId();
    await dataSource.query(
      `insert into api_key (id, display_name, role, created_by, hash, last_four, created)
       values ($1, 'Deployment', 'ADMIN', $2, 'hash of the key', 'abcd', now())`,
      [keyId, ada.id],
    );

    const asked = [ada.id, nameless.id, gone.id, `api_key:${keyId}`, `api_key:${newId()}`, 'webhook', undefined, null];
    expect(await names.find(asked)).toEqual(
      new Map([
        [ada.id, 'Ada Lovelace'],
        [`api_key:${keyId}`, 'Deployment'],
      ]),
    );
    expect(await names.find(['schedule'])).toEqual(new Map());
  });

  describe('users', () => {
    const aUser = (email: string): User => ({
      id: newId(),
      email,
      firstName: 'Ada',
      lastName: 'Lovelace',
      platformRole: 'ADMIN',
      passwordHash: '$argon2id$…',
      created: CREATED,
    });

    it('are found by id and by address, without regard to case', async () => {
      const users = new PostgresUserRepository(dataSource);
      const ada = aUser('Ada@Example.com');
      await users.insert(ada);

      expect(await users.find(ada.id)).toEqual(ada);
      expect(await users.findByEmail('aDA@example.COM')).toEqual(ada);
      expect(await users.findByEmail('\uff21da@example\uff0ecom')).toEqual(ada);
      expect(await users.findByEmail('bob@example.com')).toBeNull();
      expect(await users.find('no-id')).toBeNull();
    });

    it('are found by the identity that was linked to them first, until they are deleted', async () => {
      const users = new PostgresUserRepository(dataSource);
      const [eve, mallory] = [aUser('eve@example.com'), aUser('mallory@example.com')];
      const identity = { issuer: 'https://id.example', subject: '7' };
      for (const each of [eve, mallory]) await users.insert(each);

      expect(await users.findByIdentity(identity)).toBeNull();
      expect(await users.linkIdentity(eve.id, identity)).toBe(true);
      expect(await users.linkIdentity(eve.id, { ...identity, subject: '8' })).toBe(false);
      expect(await users.linkIdentity(mallory.id, identity)).toBe(false);
      expect(await users.findByIdentity(identity)).toEqual(eve);
      expect(await users.findByIdentity({ ...identity, issuer: 'https://other.example' })).toBeNull();

      await users.delete(eve.id, CREATED);
      expect(await users.findByIdentity(identity)).toBeNull();
      expect(await users.linkIdentity(eve.id, identity)).toBe(false);
      expect(await users.linkIdentity(mallory.id, identity)).toBe(true);
    });

    it('have an identity of the issuer of today', async () => {
      const users = new PostgresUserRepository(dataSource);
      const ida = aUser('ida@example.com');
      await users.insert(ida);
      await users.linkIdentity(ida.id, { issuer: 'https://old.example', subject: '1' });

      expect(await users.linkIdentity(ida.id, { issuer: 'https://new.example', subject: '1' })).toBe(true);
      expect(await users.findByIdentity({ issuer: 'https://new.example', subject: '1' })).toEqual(ida);
      expect(await users.findByIdentity({ issuer: 'https://old.example', subject: '1' })).toBeNull();
    });

    it('of before are brought into the one form of an address, unless two would have the same', async () => {
      const users = new PostgresUserRepository(dataSource);
      const [old, one, other] = ['Zoe\u0308@x.test', 'ame\u0301lie@x.test', 'am\u00e9lie@x.test'].map(aUser);
      for (const user of [old, one, other]) await users.insert(user as User);

      const runner = dataSource.createQueryRunner();
      await new NormalizedEmails1790766000000().up(runner);
      await runner.release();

      expect(await users.findByEmail('zo\u00eb@x.test')).toEqual({ ...old, email: 'zo\u00eb@x.test' });
      expect(await users.find(one?.id ?? '')).toEqual(one);
      expect(await users.find(other?.id ?? '')).toEqual(other);
    });

    it('get another identity in place of theirs, which nobody else has, or none', async () => {
      const users = new PostgresUserRepository(dataSource);
      const [joan, jean] = [aUser('joan@example.com'), aUser('jean@example.com')];
      for (const each of [joan, jean]) await users.insert(each);
      const [first, second] = ['1', '2'].map((subject) => ({ issuer: 'https://joan.example', subject })) as [
        IssuerIdentity,
        IssuerIdentity,
      ];

      await users.replaceIdentity(joan.id, first);
      await users.replaceIdentity(joan.id, second);
      expect(await users.identityOf(joan.id)).toEqual(second);
      expect(await users.findByIdentity(first)).toBeNull();
      await expect(users.replaceIdentity(jean.id, second)).rejects.toMatchObject({
        code: 'ENTITY_EXISTS',
        params: { entityType: 'user', field: 'subject' },
      });
      await users.replaceIdentity(joan.id, null);
      expect(await users.identityOf(joan.id)).toBeNull();
      await expect(users.replaceIdentity(newId(), first)).rejects.toMatchObject({ code: 'ENTITY_NOT_FOUND' });
    });

    it('have an address nobody else has', async () => {
      const users = new PostgresUserRepository(dataSource);
      await users.insert(aUser('once@example.com'));

      await expect(users.insert(aUser('ONCE@example.com'))).rejects.toBeInstanceOf(EntityExistsError);
    });
  });

  describe('projects', () => {
    it('are listed newest first, a page at a time, and only those the caller may see', async () => {
      const projects = new PostgresProjectRepository(dataSource);
      const ids: string[] = [];
      for (let i = 0; i < 3; i++) ids.unshift(await seedProject(dataSource, { id: newId() }));

      const first = await projects.list(ids, { limit: 2, cursor: null });
      const second = await projects.list(ids, { limit: 2, cursor: first.next });
      const all = await projects.list('any', { limit: 100, cursor: null });

      expect([first, second].map(({ data }) => data.map(({ id }) => id))).toEqual([ids.slice(0, 2), ids.slice(2)]);
      expect(all.data.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
      expect((await projects.list([], { limit: 10, cursor: null })).data).toEqual([]);
    });

    it('are made for an owner who has none, one however many processes start', async () => {
      const projects = new PostgresProjectRepository(dataSource);
      const members = new PostgresProjectMemberRepository(dataSource);
      const [ownerId, id] = [newId(), newId()];
      const first = () => ({ id: newId(), displayName: 'First', ownerId, created: CREATED, updated: CREATED });
      await projects.delete(await seedProject(dataSource, { ownerId, id }));

      await Promise.all([1, 2, 3].map(() => projects.insertFirst(first())));

      const [made, ...others] = (await members.rolesOf(ownerId)).keys();
      expect(others).toEqual([]);
      expect(made).not.toBe(id);
      await projects.insertFirst(first());
      expect([...(await members.rolesOf(ownerId)).keys()]).toEqual([made]);
    });

    it('are renamed', async () => {
      const projects = new PostgresProjectRepository(dataSource);
      const id = await seedProject(dataSource);

      const renamed = await projects.rename(id, 'Renamed', CREATED);

      expect(renamed).toMatchObject({ id, displayName: 'Renamed', updated: CREATED });
      await expect(projects.get(anId())).rejects.toBeInstanceOf(EntityNotFoundError);
      await expect(projects.rename('no-id', 'x', CREATED)).rejects.toBeInstanceOf(EntityNotFoundError);
    });
  });

  describe('members', () => {
    it('are the owner of each project, as ADMIN, from its beginning', async () => {
      const members = new PostgresProjectMemberRepository(dataSource);
      const ownerId = newId();
      const [first, second] = [await seedProject(dataSource, { ownerId }), newId()];
      const project = { id: second, displayName: 'Another', ownerId, created: CREATED, updated: CREATED };
      await new PostgresProjectRepository(dataSource).insert(project);

      expect([...(await members.rolesOf(ownerId))]).toEqual([
        [first, 'ADMIN'],
        [second, 'ADMIN'],
      ]);
      expect([...(await members.rolesOf('no-id'))]).toEqual([]);
    });
  });

  describe('the project of a resource', () => {
    it('is found for what belongs to one, and for nothing else', async () => {
      const resources = new PostgresResourceProjects(dataSource);
      const projectId = await seedProject(dataSource);
      const key = await insertedKey(dataSource, projectId);

      expect(await resources.projectOf('project', projectId)).toBe(projectId);
      expect(await resources.projectOf('api_key', key.id)).toBe(projectId);
      const types = ['connection', 'event_destination', 'file', 'flow', 'flow_run', 'folder', 'template'] as const;
      for (const type of [...types, 'piece'] as const) expect(await resources.projectOf(type, anId())).toBeNull();
      expect(await resources.projectOf('flow', 'no-id')).toBeNull();
    });
  });

  describe('API keys', () => {
    it('are found by their hash, listed for their project, and gone when deleted', async () => {
      const keys = new PostgresApiKeyRepository(dataSource);
      const projectId = await seedProject(dataSource);
      const [ofProject, ofPlatform] = [await insertedKey(dataSource, projectId), await insertedKey(dataSource, null)];

      expect(await keys.findByHash(ofProject.hash)).toEqual(ofProject);
      const all = { limit: 100, cursor: null };
      expect((await keys.list({ projectIds: [projectId] }, all)).data).toEqual([ofProject]);
      expect((await keys.list({ projectIds: 'any' }, all)).data).toEqual(
        expect.arrayContaining([ofProject, ofPlatform]),
      );
      await expect(keys.delete(ofProject.id, [anId()])).rejects.toBeInstanceOf(EntityNotFoundError);
      await keys.delete(ofProject.id, [projectId]);
      expect(await keys.findByHash(ofProject.hash)).toBeNull();
    });

    it('are listed newest first, a page at a time', async () => {
      const keys = new PostgresApiKeyRepository(dataSource);
      const projectId = await seedProject(dataSource);
      const ids: string[] = [];
      for (let i = 0; i < 3; i++) ids.unshift((await insertedKey(dataSource, projectId)).id);

      const first = await keys.list({ projectIds: [projectId] }, { limit: 2, cursor: null });
      const second = await keys.list({ projectIds: [projectId] }, { limit: 2, cursor: first.next });

      expect([first, second].map(({ data }) => data.map(({ id }) => id))).toEqual([ids.slice(0, 2), ids.slice(2)]);
      await expect(keys.list({ projectIds: 'any' }, { limit: 2, cursor: first.next })).rejects.toMatchObject({
        code: 'VALIDATION',
      });
    });

    it('are found many at once, as users, roles and projects are', async () => {
      const keys = new PostgresApiKeyRepository(dataSource);
      const ownerIds = [newId(), newId()];
      const projectIds = await Promise.all(ownerIds.map((ownerId) => seedProject(dataSource, { ownerId })));
      const made = [await insertedKey(dataSource, null), await insertedKey(dataSource, null)];
      const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).sort();

      const found = await keys.findByHashes([...made.map(({ hash }) => hash), 'unknown']);
      const users = await new PostgresUserRepository(dataSource).findAll([...ownerIds, anId(), 'no-id']);
      const roles = await new PostgresProjectMemberRepository(dataSource).rolesOfAll([...ownerIds, 'no-id']);
      const existing = await new PostgresProjectRepository(dataSource).existing([...projectIds, anId(), 'no-id']);

      expect(ids(found)).toEqual(ids(made));
      expect(ids(users)).toEqual([...ownerIds].sort());
      expect(ownerIds.map((id) => [...(roles.get(id) ?? [])])).toEqual(projectIds.map((id) => [[id, 'ADMIN']]));
      expect([...existing].sort()).toEqual([...projectIds].sort());
      expect(await keys.findByHashes([])).toEqual([]);
    });

    it('remember their last use, to the minute', async () => {
      const keys = new PostgresApiKeyRepository(dataSource);
      const { id, hash } = await insertedKey(dataSource, null);
      const at = (seconds: number) => new Date(CREATED.getTime() + seconds * 1000);
      const lastUse = async () => (await keys.findByHash(hash))?.lastUsedAt;

      await keys.markUsed([id], at(0));
      await keys.markUsed([id], at(30));
      expect(await lastUse()).toEqual(at(0));
      await keys.markUsed([id], at(61));
      expect(await lastUse()).toEqual(at(61));
    });
  });
});

async function insertedKey(
  dataSource: DataSource,
  projectId: string | null,
  madeByKeyId: string | null = null,
): Promise<ApiKey> {
  const ownerId = newId();
  await seedProject(dataSource, { ownerId });
  const id = newId();
  const key: ApiKey = {
    id,
    displayName: 'A key',
    projectId,
    role: 'EDITOR',
    createdBy: ownerId,
    madeByKeyId,
    hash: `hash of ${id}`,
    lastFour: 'abcd',
    expiresAt: null,
    lastUsedAt: null,
    created: CREATED,
  };
  await new PostgresApiKeyRepository(dataSource).insert(key);
  return key;
}
