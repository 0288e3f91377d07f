import { EntityExistsError, EntityNotFoundError, type Folder } from '@millrace/domain';
import { aFlow, aFlowVersion, anId } from '@millrace/domain/testing';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { newId } from '../postgres/new-id';
import { aSecretBox } from '../testing/a-secret-box';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresFlowRepository } from './postgres-flow.repository';
import { PostgresFolderRepository } from './postgres-folder.repository';

const CREATED = new Date('2026-01-01T00:00:00.000Z');

describe('folders in PostgreSQL', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let folders: PostgresFolderRepository;
  let projectId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'folder test')).initialize();
    folders = new PostgresFolderRepository(dataSource);
  });
  beforeEach(async () => {
    projectId = await seedProject(dataSource);
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  const aFolder = (displayName: string, more: Partial<Folder> = {}): Folder => ({
    id: newId(),
    projectId,
    displayName,
    created: CREATED,
    updated: CREATED,
    ...more,
  });

  it('are given back as they were inserted, to those who may see the project', async () => {
    const folder = aFolder('Orders');
    await folders.insert(folder);

    expect(await folders.get(folder.id, [projectId])).toEqual(folder);
    for (const [id, projectIds] of [
      [folder.id, [anId()]],
      [anId(), 'any'],
      ['no id', 'any'],
    ] as const) {
      await expect(folders.get(id, projectIds)).rejects.toBeInstanceOf(EntityNotFoundError);
      await expect(folders.rename(id, projectIds, 'Renamed', CREATED)).rejects.toBeInstanceOf(EntityNotFoundError);
      await expect(folders.delete(id, projectIds)).rejects.toBeInstanceOf(EntityNotFoundError);
    }
  });

  it('have a name no other folder of the project has, whatever the case of its letters', async () => {
    const [first, second] = [aFolder('Ökonomie'), aFolder('Other')];
    await folders.insert(first);
    await folders.insert(second);

    await expect(folders.insert(aFolder('öKONOMIE'))).rejects.toBeInstanceOf(EntityExistsError);
    await expect(folders.rename(second.id, 'any', 'ÖKONOMIE', CREATED)).rejects.toBeInstanceOf(EntityExistsError);
    await folders.insert(aFolder('Ökonomie', { projectId: await seedProject(dataSource) }));
  });

  it('are renamed, also to the same name in other letters', async () => {
    const folder = aFolder('orders');
    await folders.insert(folder);
    const updated = new Date('2026-02-01T00:00:00.000Z');

    expect(await folders.rename(folder.id, [projectId], 'ORDERS\0', updated)).toEqual({
      ...folder,
      displayName: 'ORDERS\ufffd',
      updated,
    });
  });

  it('are made once by many who look for the same name at once', async () => {
    const found = await Promise.all(
      Array.from({ length: 20 }, (_, i) => folders.findOrInsert(aFolder(i % 2 ? 'Orders' : 'ORDERS'))),
    );

    expect(new Set(found.map(({ id }) => id)).size).toBe(1);
    expect((await folders.list(projectId, { limit: 10, cursor: null })).data).toEqual([found[0]]);
  });

  it('are listed newest first, a page at a time', async () => {
    const made = ['one', 'two', 'three'].map((name) => aFolder(name));
    for (const folder of made) await folders.insert(folder);

    const first = await folders.list(projectId, { limit: 2, cursor: null });
    const second = await folders.list(projectId, { limit: 2, cursor: first.next });

    expect([first.data, second.data]).toEqual([[made[2], made[1]], [made[0]]]);
    expect((await folders.list('no id', { limit: 2, cursor: null })).data).toEqual([]);
  });

  it('leave their flows behind, in no folder', async () => {
    const flows = new PostgresFlowRepository(dataSource, aSecretBox());
    const folder = aFolder('Orders');
    await folders.insert(folder);
    const flow = aFlow({ projectId, folderId: folder.id });
    await flows.insert(flow, aFlowVersion([], { id: newId(), flowId: flow.id }));
    expect(await flows.count({ projectId, folderId: folder.id })).toBe(1);

    await folders.delete(folder.id, [projectId]);

    expect(await flows.get(flow.id, 'any')).toMatchObject({ folderId: null, revision: flow.revision + 1 });
    expect(await flows.count({ projectId, folderId: null })).toBe(1);
  });
});
