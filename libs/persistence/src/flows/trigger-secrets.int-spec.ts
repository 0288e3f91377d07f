import type { FlowChange, TriggerSecret } from '@millrace/domain';
import { aFlow, aFlowVersion, anId, webhookTrigger } from '@millrace/domain/testing';
import { Logger } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { newId } from '../postgres/new-id';
import { aSecretBox } from '../testing/a-secret-box';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresFlowRepository } from './postgres-flow.repository';
import { PostgresTriggerSecrets } from './postgres-trigger-secrets';

describe('the secrets of triggers', () => {
  const box = aSecretBox();
  let database: TestDatabase;
  let dataSource: DataSource;
  let pool: Pool;
  let flows: PostgresFlowRepository;
  let secrets: PostgresTriggerSecrets;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'trigger secret test')).initialize();
    pool = openHotPool(database.url, 'trigger secret test');
    flows = new PostgresFlowRepository(dataSource, box);
    secrets = new PostgresTriggerSecrets(pool, box);
  });
  afterAll(async () => {
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });

  let logged: jest.SpyInstance;
  beforeEach(() => {
    logged = jest.spyOn(Logger.prototype, 'error').mockReset();
  });

  const aSecret = (value: string): TriggerSecret => ({ id: newId(), value });
  const triggerWith = (...referred: TriggerSecret[]) =>
    webhookTrigger([], { authFields: { secrets: referred.map(({ id }) => `**REDACTED**:${id}`) } });

  /** A flow whose draft refers to nothing. */
  async function insertedFlow(): Promise<string> {
    const flow = aFlow({ projectId: await seedProject(dataSource), id: newId() });
    await flows.insert(flow, aFlowVersion([], { id: newId(), flowId: flow.id, state: 'DRAFT' }));
    return flow.id;
  }
  const change = (flowId: string, made: TriggerSecret[], referred = made, more: Partial<FlowChange> = {}) =>
    flows.change(flowId, 'any', ({ version, ...flow }) => ({
      flow,
      version: { ...version, trigger: triggerWith(...referred) },
      isNewVersion: false,
      triggerSecrets: made,
      ...more,
    }));
  const valuesOf = async (flowId: string, ...asked: TriggerSecret[]) => [
    ...(
      await secrets.find(
        flowId,
        asked.map(({ id }) => id),
      )
    ).values(),
  ];

  it('come back as they were given, and cannot be read in the table', async () => {
    const flowId = await insertedFlow();
    const [one, other] = [aSecret('sk-plain'), aSecret('ключ \0 😀')];

    await change(flowId, [one, other]);

    expect((await valuesOf(flowId, one, other)).sort()).toEqual([one.value, other.value].sort());
    const { rows } = await pool.query<{ value: Buffer }>('select value from trigger_secret where flow_id = $1', [
      flowId,
    ]);
    expect(rows).toHaveLength(2);
    expect(rows.some(({ value }) => value.includes('plain'))).toBe(false);
  });

  it('belong to one flow, and do not open in another', async () => {
    const [flowId, foreign] = [await insertedFlow(), await insertedFlow()];
    const secret = aSecret('own');
    await change(flowId, [secret]);

    expect(await valuesOf(foreign, secret)).toEqual([]);
    await pool.query(
      `insert into trigger_secret (flow_id, id, project_id, value)
       select $2, id, project_id, value from trigger_secret where flow_id = $1`,
      [flowId, foreign],
    );

    expect(await valuesOf(foreign, secret)).toEqual([]);
    expect(logged).toHaveBeenCalledWith(expect.stringContaining(`trigger of the flow ${foreign}`));
  });

  it('do not open where their bytes were swapped; the others of the trigger do', async () => {
    const flowId = await insertedFlow();
    const [one, other, third] = [aSecret('one'), aSecret('other'), aSecret('third')];
    await change(flowId, [one, other, third]);

    await pool.query(
      `update trigger_secret secret set value = (select value from trigger_secret where id = swapped.from_id)
       from (values ($1::uuid, $2::uuid), ($2, $1)) as swapped (id, from_id) where secret.id = swapped.id`,
      [one.id, other.id],
    );

    expect(await valuesOf(flowId, one, other, third)).toEqual(['third']);
    expect(logged).toHaveBeenCalledTimes(2);
  });

  it('are known to the operations of their flow alone', async () => {
    const [flowId, foreign] = [await insertedFlow(), await insertedFlow()];
    const secret = aSecret('own');
    await change(flowId, [secret]);
    const knownTo = async (asked: string) => {
      let known: ReadonlySet<string> = new Set();
      await flows.change(asked, 'any', async ({ version, ...flow }, surroundings) => {
        known = await surroundings.knownSecrets([secret.id, anId()]);
        return { flow, version, isNewVersion: false };
      });
      return [...known];
    };

    expect(await knownTo(flowId)).toEqual([secret.id]);
    expect(await knownTo(foreign)).toEqual([]);
  });

  it('stay while any version refers to them, and go with the last', async () => {
    const flowId = await insertedFlow();
    const [published, draft, later] = [aSecret('published'), aSecret('draft'), aSecret('later')];
    const all = () => valuesOf(flowId, published, draft, later);
    await change(flowId, [published]);
    await flows.change(flowId, 'any', ({ version, ...flow }) => ({
      flow,
      version: { ...version, state: 'LOCKED' },
      isNewVersion: false,
    }));
    const next = aFlowVersion([], { id: newId(), flowId, state: 'DRAFT', trigger: triggerWith(draft) });

    await change(flowId, [draft], [draft], { version: next, isNewVersion: true });
    expect((await all()).sort()).toEqual(['draft', 'published']);
    await change(flowId, [later]);
    expect((await all()).sort()).toEqual(['later', 'published']);
    await flows.delete(flowId, 'any', () => undefined);
    expect(await all()).toEqual([]);
  });

  it('are not written when the version does not refer to them', async () => {
    const flowId = await insertedFlow();
    const secret = aSecret('unused');

    await change(flowId, [secret], []);

    expect(await valuesOf(flowId, secret)).toEqual([]);
  });

  it('are none of a malformed flow or id', async () => {
    expect(await secrets.find('no-id', [newId()])).toEqual(new Map());
    expect(await secrets.find(newId(), ['no-id'])).toEqual(new Map());
  });
});
