import { MOST_TRIGGER_EVENTS } from '@millrace/domain';
import { aFlow, aFlowVersion, anId } from '@millrace/domain/testing';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { PostgresFlowRepository } from '../flows/postgres-flow.repository';
import { PostgresSampleDataReader } from '../flows/postgres-sample-data.reader';
import { PostgresSampleDataWriter } from '../flows/postgres-sample-data.writer';
import { dataSourceOptions } from '../modules/data-source';
import { aSecretBox } from '../testing/a-secret-box';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresTriggerEvents } from './postgres-trigger-events';

describe('events of triggers', () => {
  let database: TestDatabase;
  let pool: Pool;
  let source: DataSource;
  let flows: PostgresFlowRepository;
  let flowId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url });
    source = await new DataSource(dataSourceOptions(database.url, 'trigger events')).initialize();
    flows = new PostgresFlowRepository(source, aSecretBox());
  });
  afterAll(async () => {
    await source.destroy();
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    const flow = aFlow({ id: anId(), projectId: await seedProject(source) });
    await flows.insert(flow, aFlowVersion([], { id: anId(), flowId: flow.id }));
    flowId = flow.id;
  });

  const keep = (...payloads: unknown[]) =>
    new PostgresSampleDataWriter(pool).save(
      flowId,
      payloads.map((payload) => ({
        stepName: 'trigger',
        type: 'OUTPUT',
        payload: JSON.stringify(payload),
        isEvent: true,
      })),
    );
  const events = () => new PostgresTriggerEvents(pool);
  const listed = async (limit = 100) =>
    (await events().list(flowId, { limit, cursor: null })).data.map(({ payload }) => payload);

  it('are listed newest first, and the last one is the sample of the trigger', async () => {
    await keep({ n: 1 }, { n: 2 });
    await keep({ n: 3 });

    expect(await listed()).toEqual([{ n: 3 }, { n: 2 }, { n: 1 }]);
    const { payload } = await new PostgresSampleDataReader(source).get(flowId, 'any', 'trigger', 'OUTPUT');
    expect(payload).toEqual({ n: 3 });
  });

  it('are read in pages', async () => {
    await keep(1, 2, 3);

    const first = await events().list(flowId, { limit: 2, cursor: null });
    const second = await events().list(flowId, { limit: 2, cursor: first.next });

    expect([first, second].map(({ data }) => data.map(({ payload }) => payload))).toEqual([[3, 2], [1]]);
    expect(second.next).toBeNull();
  });

  it('are few for each flow, and large ones are not among them', async () => {
    await keep(
      'x'.repeat(3),
      Array.from({ length: 300_000 }, (_, i) => Math.sin(i)),
    );
    await keep(...Array.from({ length: MOST_TRIGGER_EVENTS + 2 }, (_, i) => i));

    expect(await listed()).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
  });

  it('go with their flow', async () => {
    await keep(1);

    await flows.delete(flowId, 'any', () => undefined);

    expect(await listed()).toEqual([]);
    await expect(keep(2)).resolves.toBeUndefined();
  });
});
