// Brings the schema of a database to that of this release.
//
// M1. One process migrates at a time. When it stands still, the server ends its session, and another process goes on
//     (migration-session.ts).
// M2. A migration is one transaction, with its record. One that cannot be in a transaction can be repeated.
// M3. A migration waits only briefly for the lock of a table, and is tried again later.

import { Logger } from '@nestjs/common';
import { Pool } from 'pg';
import type { QueryRunner } from 'typeorm';
import { migrations as ofThisRelease } from '../migrations/migrations';
import { connectionOptions } from '../postgres/connection-options';
import { TableInUseError } from '../postgres/partitions';
import { PostgresClock } from '../postgres/postgres-clock';
import { ensurePartitionsAhead } from '../postgres/run-partitions';
import { WatchedClient } from '../postgres/watched-client';
import { timeOf, type Migration, type MigrationClass } from './migration';
import { MIGRATION_PATIENCE, MigrationSession, type MigrationPatience } from './migration-session';
import { fitOf, recordedMigrations, SchemaTooNewError, type RecordedMigration } from './schema-fit';

const APPLICATION_NAME = 'millrace partitions';
/** To make a partition may take a minute, and as long again while another process makes one. */
const PARTITIONS_MS = 150_000;
const logger = new Logger('Migrations');

export interface MigrateOptions {
  /** All migrations, in order. */
  migrations?: readonly MigrationClass[];
  /** The name of the last migration to run. */
  upTo?: string;
  patience?: Partial<MigrationPatience>;
  say?: (line: string) => void;
}

/**
 * Runs the migrations that the database lacks and makes the partitions ahead. Any number of processes may call it at
 * once. Returns the names of the migrations that it ran. Throws SchemaTooNewError and MigrationInProgressError; rejects
 * when the database cannot be reached or a migration fails.
 */
export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<string[]> {
  const done = await inSession(databaseUrl, options, (session) => runPending(session, options));
  if (options.upTo === undefined) await makePartitionsAhead(databaseUrl);
  return done;
}

/**
 * Takes the last migration back. Returns its name; null when there is none. Throws an error when this release does not
 * know it.
 */
export const revertLastMigration = (databaseUrl: string, options: MigrateOptions = {}): Promise<string | null> =>
  inSession(databaseUrl, options, async (session) => {
    const last = (await recordedMigrations(session.connection)).at(-1);
    if (!last) return null;
    const Last = (options.migrations ?? ofThisRelease).find(({ name }) => name === last.name);
    if (!Last) throw new Error(`This release does not know ${last.name}. The release that made it takes it back.`);
    await perform(session, new Last(), 'down', async () => {
      await session.query('delete from migration where name = $1', [last.name]);
    });
    return last.name;
  });

async function inSession<T>(
  databaseUrl: string,
  { patience, say = (line) => logger.log(line) }: MigrateOptions,
  work: (session: MigrationSession) => Promise<T>,
): Promise<T> {
  const session = await MigrationSession.open(databaseUrl, { ...MIGRATION_PATIENCE, ...patience }, say);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

async function runPending(
  session: MigrationSession,
  { migrations = ofThisRelease, upTo, say = (line) => logger.log(line) }: MigrateOptions,
): Promise<string[]> {
  const recorded = await recordedMigrations(session.connection);
  await prepareRecords(session, recorded);
  for (const Pending of pendingOf(migrations, recorded, upTo)) {
    const migration = new Pending();
    if (recorded.length > 0) say(`Migrating the database: ${Pending.name}.`);
    await perform(session, migration, 'up', async () => {
      const values = [timeOf(Pending), Pending.name, migration.needs ?? null];
      await session.query('insert into migration (timestamp, name, needs) values ($1, $2, $3)', values);
    });
  }
  return pendingOf(migrations, recorded, upTo).map(({ name }) => name);
}

function pendingOf(
  migrations: readonly MigrationClass[],
  recorded: readonly RecordedMigration[],
  upTo: string | undefined,
): MigrationClass[] {
  const names = migrations.map(({ name }) => name);
  const fit = fitOf(recorded, names);
  if (fit.kind === 'ahead') throw new SchemaTooNewError(fit.needs);
  const last = upTo === undefined ? migrations.length : names.indexOf(upTo) + 1;
  const missing = fit.kind === 'behind' ? fit.missing : [];
  return migrations.slice(0, last).filter(({ name }) => missing.includes(name));
}

/** Earlier releases made the table by TypeORM, without the last column. */
async function prepareRecords(session: MigrationSession, recorded: readonly RecordedMigration[]): Promise<void> {
  await session.inTransaction(async () => {
    if (recorded.length === 0)
      await session.query(
        'create table if not exists migration (id serial primary key, timestamp bigint not null, name varchar not null)',
      );
    const [column] = await session.query(
      `select from pg_attribute where attrelid = 'migration'::regclass and attname = 'needs' and not attisdropped`,
    );
    if (!column) await session.query('alter table migration add needs varchar');
  });
}

async function perform(
  session: MigrationSession,
  migration: Migration,
  direction: 'up' | 'down',
  record: () => Promise<void>,
): Promise<void> {
  // Migrations send statements and use nothing else of TypeORM.
  const runner = { query: session.queryAsRunner.bind(session) } as unknown as QueryRunner;
  if (migration.transaction === false) {
    await session.outsideTransaction(() => migration[direction](runner));
    await session.inTransaction(record);
  } else {
    await session.inTransaction(async () => {
      await migration[direction](runner);
      await record();
    });
  }
}

async function makePartitionsAhead(databaseUrl: string): Promise<void> {
  const pool = new Pool({
    ...connectionOptions(databaseUrl, APPLICATION_NAME),
    Client: WatchedClient,
    query_timeout: PARTITIONS_MS,
    max: 1,
  });
  pool.on('error', () => undefined); // the next statement reports that the connection is lost
  try {
    await ensurePartitionsAhead(pool, await new PostgresClock(pool).now());
  } catch (error) {
    if (!(error instanceof TableInUseError)) throw error;
    // The default partitions take new rows until the duty PartitionsAhead has made the missing partitions.
    logger.warn(error.message);
  } finally {
    await pool.end();
  }
}
