import type { StorePlace } from '@millrace/domain';
import { aFlow, aFlowVersion, anId, describeStoreEntries } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { PostgresFlowRepository } from '../flows/postgres-flow.repository';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { newId } from '../postgres/new-id';
import { aSecretBox } from '../testing/a-secret-box';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresStoreEntries } from './postgres-store-entries';

let database: TestDatabase;
let pool: Pool;
let entries: PostgresStoreEntries;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openHotPool(database.url, 'store test');
  entries = new PostgresStoreEntries(pool);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

describeStoreEntries('PostgresStoreEntries', () => ({ entries, aProjectId: () => Promise.resolve(anId()) }));

describe('PostgresStoreEntries', () => {
  const aPlace = (more: Partial<StorePlace> = {}): StorePlace => ({
    projectId: anId(),
    scope: 'FLOW',
    scopeId: anId(),
    key: 'counter',
    ...more,
  });
  const addOne = (value: unknown): number => Number(value ?? 0) + 1;

  it('loses no change when several processes change one place, also while others remove the entry', async () => {
    const place = aPlace();
    const processes = Array.from({ length: 4 }, () => new PostgresStoreEntries(pool));
    let removed = 0;
    const takeAll = (seen: { value: number }) => (value: unknown) => {
      seen.value = Number(value ?? 0);
      return null;
    };

    await Promise.all(
      Array.from({ length: 80 }, async (_, i) => {
        const entriesOfProcess = processes[i % processes.length] as PostgresStoreEntries;
        if (i % 8 !== 7) return entriesOfProcess.change(place, null, addOne);
        const seen = { value: 0 };
        await entriesOfProcess.change(place, null, takeAll(seen));
        return (removed += seen.value);
      }),
    );

    expect(Number((await entries.get(place)) ?? 0) + removed).toBe(70);
  });

  it('keeps no connection while a change waits for another of its place', async () => {
    const [busy, calm] = [aPlace(), aPlace()];

    const changes = Array.from({ length: 50 }, () => entries.change(busy, null, addOne));
    const first = await Promise.race([entries.change(calm, null, () => 'calm'), Promise.all(changes)]);

    expect(first).toBe('calm');
    expect(await Promise.all(changes)).toHaveLength(50);
  });

  it('holds what PostgreSQL cannot, in keys, step keys and values', async () => {
    const place = aPlace({ key: 'a\0b' });

    await entries.change(place, 'run:\0', () => ({ text: 'c\0 \ud800' }));
    await entries.change(place, 'run:\0', () => 'never');

    expect(await entries.get(place)).toEqual({ text: 'c\ufffd \ufffd' });
    expect((await entries.list(place, { limit: 10, cursor: null })).data).toMatchObject([{ key: 'a\ufffdb' }]);
  });

  it('keeps a value of half a megabyte', async () => {
    const place = aPlace();
    const large = 'x'.repeat(512 * 1024);

    await entries.change(place, null, () => large);

    expect(await entries.get(place)).toBe(large);
  });

  it('forgets what a flow kept when the flow is deleted, and nothing else', async () => {
    const dataSource = await new DataSource(dataSourceOptions(database.url, 'store test')).initialize();
    const flows = new PostgresFlowRepository(dataSource, aSecretBox());
    const flow = aFlow({ projectId: await seedProject(dataSource), id: newId() });
    await flows.insert(flow, aFlowVersion([], { id: newId(), flowId: flow.id }));
    const ofFlow = aPlace({ projectId: flow.projectId, scopeId: flow.id });
    const ofProject = aPlace({ projectId: flow.projectId, scope: 'PROJECT', scopeId: flow.projectId });
    for (const place of [ofFlow, ofProject]) await entries.change(place, null, () => 1);

    await flows.delete(flow.id, 'any', () => undefined);
    await dataSource.destroy();

    expect(await entries.get(ofFlow)).toBeNull();
    expect(await entries.get(ofProject)).toBe(1);
  });

  it('finds nothing under ids that are none', async () => {
    const page = { limit: 10, cursor: null };

    expect(await entries.get(aPlace({ scopeId: 'no-id' }))).toBeNull();
    expect((await entries.list({ projectId: 'no-id' }, page)).data).toEqual([]);
    expect((await entries.list({ projectId: anId(), scopeId: 'no-id' }, page)).data).toEqual([]);
  });

  it('pages back and forth, and refuses the cursor of another list', async () => {
    const { projectId, scopeId } = aPlace();
    for (const key of ['one', 'two', 'three', 'four']) {
      await entries.change(aPlace({ projectId, scopeId, key }), null, () => 1);
    }
    const list = (cursor: string | null) => entries.list({ projectId }, { limit: 2, cursor });

    const first = await list(null);
    const second = await list(first.next);
    const back = await list(second.previous);

    expect(second.data.map(({ key }) => key)).toEqual(['two', 'one']);
    expect(back.data.map(({ key }) => key)).toEqual(['four', 'three']);
    await expect(entries.list({ projectId, scopeId }, { limit: 2, cursor: first.next })).rejects.toMatchObject({
      code: 'VALIDATION',
    });
  });
});
