import type { QueryRunner } from 'typeorm';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { migrations as existing } from '../migrations/migrations';
import { migrate, revertLastMigration } from './migrate';
import type { MigrationClass } from './migration';
import { MIGRATION_PATIENCE, MigrationInProgressError, MigrationSession } from './migration-session';
import { readSchemaFit, SchemaTooNewError } from './schema-fit';

const SILENT = () => undefined;
const QUICK = { tableLockMs: 50, pauseMs: 10 };

/** Makes a migration that calls `up`. */
function migrationThat(up: (runner: QueryRunner) => Promise<void>, transaction?: false): MigrationClass {
  return class Made1799000000001 {
    transaction = transaction;
    up = up;
    down = (runner: QueryRunner) => runner.query('drop index project_made');
  };
}

describe('a migration', () => {
  let database: TestDatabase;
  let client: Client;

  beforeEach(async () => {
    database = await createTestDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await database.drop();
  });

  const run = (migration: MigrationClass) =>
    migrate(database.url, { migrations: [...existing, migration], patience: QUICK, say: SILENT });
  const recorded = async () =>
    (await client.query<{ name: string }>('select name from migration order by id')).rows.map(({ name }) => name);

  it('that cannot lock a table lets the statements behind it go on, and is tried again', async () => {
    let tries = 0;
    await client.query('begin; select from project');
    const migration = migrationThat(async (runner) => {
      if (++tries === 3) await client.query('commit');
      await runner.query('alter table project add made int');
    });

    await run(migration);

    expect(tries).toBe(3);
    expect((await recorded()).at(-1)).toBe('Made1799000000001');
  });

  it('says of each further try why it is needed', async () => {
    let tries = 0;
    const said: string[] = [];
    await client.query('begin; select from project');
    const migration = migrationThat(async (runner) => {
      if (++tries === 3) await client.query('commit');
      await runner.query('alter table project add made int');
    });

    await migrate(database.url, {
      ...{ migrations: [...existing, migration], patience: QUICK },
      say: (line) => said.push(line),
    });

    expect(said.filter((line) => line.includes('tried again'))).toEqual([
      expect.stringContaining('try 1 of 100 failed: canceling statement due to lock timeout'),
      expect.stringContaining('try 2 of 100 failed'),
    ]);
  });

  it('that asks for what PostgreSQL cannot do fails at once', async () => {
    let tries = 0;
    const migration = migrationThat(async (runner) => {
      tries += 1;
      await runner.query(`do $$ begin raise 'not possible' using errcode = '0A000'; end $$`);
    });

    await expect(run(migration)).rejects.toThrow('not possible');

    expect(tries).toBe(1);
  });

  it('that fails leaves nothing behind, and no record', async () => {
    const migration = migrationThat(async (runner) => {
      await runner.query('alter table project add made int');
      throw new Error('broken');
    });

    await expect(run(migration)).rejects.toThrow('broken');

    expect(await recorded()).toHaveLength(existing.length);
    await expect(client.query('select made from project')).rejects.toThrow('does not exist');
  });

  it('without a transaction builds an index while another process waits for its turn, and can be taken back', async () => {
    const migration = migrationThat(async (runner) => {
      await runner.query('drop index concurrently if exists project_made');
      await runner.query('create index concurrently project_made on project (created)');
    }, false);

    await Promise.all([run(migration), run(migration), run(migration)]);
    const { rowCount } = await client.query(`select from pg_indexes where indexname = 'project_made'`);
    const options = { migrations: [...existing, migration], say: SILENT };

    expect(rowCount).toBe(1);
    expect(await revertLastMigration(database.url, options)).toBe('Made1799000000001');
    expect(await recorded()).toEqual(existing.map(({ name }) => name));
  });

  it('waits for the process that migrates, and says which one that is', async () => {
    const other = await MigrationSession.open(database.url, MIGRATION_PATIENCE, SILENT);
    const lines: string[] = [];

    const refused = migrate(database.url, { patience: { turnMs: 0 }, say: (line) => lines.push(line) });
    await expect(refused).rejects.toThrow(MigrationInProgressError);
    await expect(refused).rejects.toThrow('millrace migrations, process');
    const waiting = migrate(database.url, { say: (line) => lines.push(line) });
    await other.close();

    expect(await waiting).toEqual([]);
  });

  it('goes on without a process that migrates and stands still, which changes nothing more', async () => {
    const frozen = await MigrationSession.open(database.url, { ...MIGRATION_PATIENCE, frozenMs: 1_000 }, SILENT);

    await migrate(database.url, { say: SILENT });

    await expect(frozen.query('alter table project add late int')).rejects.toThrow();
    await frozen.close();
  });

  it('of a later release is no obstacle to this one, unless it needs an app that knows another', async () => {
    await run(migrationThat(async () => undefined));
    expect(await readSchemaFit(client)).toEqual({ kind: 'fits' });
    await client.query(`update migration set needs = name where name = 'Made1799000000001'`);

    expect(await readSchemaFit(client)).toEqual({ kind: 'ahead', needs: 'Made1799000000001' });
    await expect(migrate(database.url)).rejects.toThrow(SchemaTooNewError);
    await expect(revertLastMigration(database.url)).rejects.toThrow('The release that made it takes it back.');
  });

  it('that an earlier release has recorded without what it needs is known', async () => {
    await client.query('alter table migration drop needs');
    expect(await readSchemaFit(client)).toEqual({ kind: 'fits' });

    await migrate(database.url);

    expect((await client.query('select needs from migration')).rowCount).toBe(existing.length);
  });
});
