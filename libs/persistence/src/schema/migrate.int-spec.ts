import { firstIdAt } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import { anId, codeStep, webhookTrigger } from '@millrace/domain/testing';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { dataSourceOptions } from '../modules/data-source';
import { migrate, revertLastMigration } from './migrate';
import { migrations } from '../migrations/migrations';
import { ensureSegmentPartitions } from '../postgres/run-partitions';

const DAY_MS = 24 * 60 * 60 * 1000;

/** A test takes down or makes all migrations, which takes seconds on a busy machine. */
const PATIENCE_MS = 60_000;

jest.setTimeout(PATIENCE_MS);

describe('the schema', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(() => Logger.overrideLogger(false));

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url });
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  const tables = async (): Promise<string[]> => {
    const { rows } = await pool.query<{ name: string }>(
      `select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
       order by relname`,
    );
    return rows.map(({ name }) => name);
  };
  const partitions = async () => (await tables()).filter((name) => /^run_segment_\d{8}$/.test(name));

  it('is left alone when it is up to date, also by several processes at once', async () => {
    const before = await tables();

    await Promise.all([migrate(database.url), migrate(database.url), migrate(database.url)]);

    expect(await tables()).toEqual(before);
    expect((await pool.query('select * from migration')).rowCount).toBe(migrations.length);
  });

  it('is made once by several processes that start on an empty database', async () => {
    await pool.query('drop schema public cascade; create schema public');

    await Promise.all([migrate(database.url), migrate(database.url), migrate(database.url)]);

    expect(await tables()).toEqual(expect.arrayContaining(['flow', 'flow_run', 'run_segment', 'api_key']));
    expect((await pool.query('select * from migration')).rowCount).toBe(migrations.length);
  });

  it('can be taken down again', async () => {
    const names = [];
    for (const _ of migrations) names.push(await revertLastMigration(database.url));

    expect(names.reverse()).toEqual(migrations.map(({ name }) => name));
    expect(await revertLastMigration(database.url)).toBeNull();
    expect(await tables()).toEqual(['migration']);
  });

  it('knows of flows made before lists did what lists ask for', async () => {
    while ((await lastMigration()) !== 'CodeBundles1790100000000') await revertLastMigration(database.url);
    const [flowId, oldVersionId, versionId] = [anId(), anId(new Date('2026-01-01')), anId(new Date('2026-01-02'))];
    const trigger = webhookTrigger([codeStep('ask', { key: "{{ connections['slack'] }}" })]);
    const ownerId = anId();
    await pool.query(`insert into app_user values ($1, 'a@test', 'Ada', 'Test', 'ADMIN', 'x', now())`, [ownerId]);
    await pool.query(`insert into project values ($1, 'A project', $1, now(), now())`, [ownerId]);
    for (const [id, state] of [
      [oldVersionId, 'LOCKED'],
      [versionId, 'DRAFT'],
    ]) {
      await pool.query(
        `insert into flow_version values ($1, $2, 'ÄNDERUNG', $3, true, '20', $4, '[]', now(), now(), $5)`,
        [id, flowId, trigger, state, `who wrote the ${state}`],
      );
    }
    await pool.query(
      `insert into flow (id, project_id, external_id, owner_id, folder_id, status, operation_status, created, updated)
       values ($1, $2, 'flow', $2, $1, 'ENABLED', 'NONE', now(), now())`,
      [flowId, ownerId],
    );

    await migrate(database.url);

    const { rows } = await pool.query(
      `select updated_by, revision, latest_version_id, version_state, search_name, folder_id, place_id from flow`,
    );
    expect(rows).toEqual([
      {
        updated_by: 'who wrote the DRAFT',
        revision: 1,
        latest_version_id: versionId,
        version_state: 'DRAFT',
        search_name: 'änderung',
        folder_id: null,
        place_id: ownerId,
      },
    ]);
    expect((await pool.query('select * from flow_use')).rows).toEqual([
      { project_id: ownerId, kind: 'CONNECTION', external_id: 'slack', flow_id: flowId },
    ]);
  });

  const lastMigration = async (): Promise<string | undefined> =>
    (await pool.query<{ name: string }>('select name from migration order by id desc limit 1')).rows[0]?.name;

  it('has the columns the entities name', async () => {
    const dataSource = await new DataSource(dataSourceOptions(database.url, 'migrate test')).initialize();

    const rowCounts = await Promise.all(
      dataSource.entityMetadatas.map(({ target }) => dataSource.getRepository(target).count({ where: {} })),
    );
    const columns = dataSource.entityMetadatas.flatMap((entity) =>
      entity.columns.map(({ databaseName }) => `${entity.tableName}.${databaseName}`),
    );
    await dataSource.destroy();
    const { rows } = await pool.query<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'`,
    );

    expect(rowCounts.every((count) => count === 0)).toBe(true);
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(columns));
  });

  it('has a partition of the journal for today and a week ahead', async () => {
    const days = Array.from({ length: 8 }, (_, i) => new Date(Date.now() + i * DAY_MS).toISOString().slice(0, 10));

    expect(await partitions()).toEqual(days.map((day) => `run_segment_${day.replaceAll('-', '')}`));
  });

  it('gets the partitions of other days once, whoever asks, and moves the segments of the day into its own', async () => {
    const day = new Date('2031-05-01T12:00:00Z');
    const [inside, firstOfDay, dayAfter] = [anId(day), firstIdAt(new Date('2031-05-01')), anId(new Date('2031-05-03'))];
    for (const id of [inside, firstOfDay, dayAfter]) {
      await pool.query(`insert into run_segment values ($1, 0, 'x')`, [id]);
    }

    await Promise.all(Array.from({ length: 4 }, () => ensureSegmentPartitions(pool, day, 2)));

    const { rows } = await pool.query<{ place: string; run_id: string }>(
      'select tableoid::regclass::text as place, run_id from run_segment order by run_id',
    );
    expect(rows).toEqual([
      { place: 'run_segment_20310501', run_id: firstOfDay },
      { place: 'run_segment_20310501', run_id: inside },
      { place: 'run_segment_default', run_id: dayAfter },
    ]);
    expect((await partitions()).filter((name) => name.includes('2031'))).toHaveLength(2);
  });
});
