import { ServiceUnavailableError } from '@millrace/domain';
import { aFlow, aFlowVersion, codeStep } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { newId } from '../postgres/new-id';
import { aSecretBox } from '../testing/a-secret-box';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresFlowRepository } from './postgres-flow.repository';
import { PostgresProjectFlows } from './postgres-project-flows';

describe('PostgresProjectFlows', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let pool: Pool;
  let flows: PostgresProjectFlows;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'project flows test')).initialize();
    pool = openHotPool(database.url, 'project flows test');
    flows = new PostgresProjectFlows(pool);
  });
  afterAll(async () => {
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });

  const inserted = async (projectId: string, externalId: string, isPublished = true): Promise<string> => {
    const versionId = newId();
    const published = isPublished ? versionId : null;
    const flow = aFlow({ projectId, externalId, id: newId(), status: 'ENABLED', publishedVersionId: published });
    const version = aFlowVersion([codeStep('step_1')], { id: versionId, flowId: flow.id, displayName: externalId });
    await new PostgresFlowRepository(dataSource, aSecretBox()).insert(flow, version);
    return flow.id;
  };

  it('lists the flows of one project, newest first, each with its trigger and without its steps', async () => {
    const [own, foreign] = [await seedProject(dataSource), await seedProject(dataSource)];
    const first = await inserted(own, 'first');
    await inserted(foreign, 'first');
    const second = await inserted(own, 'second', false);

    const found = await flows.list(own);

    expect(found.map(({ id, externalId, version }) => [id, externalId, version.displayName])).toEqual([
      [second, 'second', 'second'],
      [first, 'first', 'first'],
    ]);
    expect(found[0]).toMatchObject({ projectId: own, status: 'ENABLED', publishedVersionId: null });
    expect(found[0]?.version.trigger).toMatchObject({ type: 'PIECE_TRIGGER', settings: { pieceName: 'webhook' } });
    expect(found[0]?.version.trigger).not.toHaveProperty('nextAction');
  });

  it('lists those with one of the external ids', async () => {
    const project = await seedProject(dataSource);
    await inserted(project, 'a');
    const wanted = await inserted(project, 'b');

    expect((await flows.list(project, ['b', 'c', 'a\0'])).map(({ id }) => id)).toEqual([wanted]);
    expect(await flows.list(project, [])).toEqual([]);
  });

  it('says that the database is away', async () => {
    const gone = openHotPool(database.url, 'project flows test');
    await gone.end();

    await expect(new PostgresProjectFlows(gone).list(newId())).rejects.toBeInstanceOf(ServiceUnavailableError);
  });
});
