import { Logger } from '@nestjs/common';
import { Client, Pool } from 'pg';
import { DataSource } from 'typeorm';
import { connectionOptions, LIVELY_CONNECTION } from '../postgres/connection-options';
import { dataSourceOptions } from './data-source';
import { TableInUseError } from '../postgres/partitions';
import { ensurePartitionsAhead } from '../postgres/run-partitions';

/** Any number, the same in every process. */
const MIGRATION_LOCK = 7_203_115_002;
const APPLICATION_NAME = 'millrace migrations';

/** Brings the database up to date; does nothing when it is. Processes that start together wait for one another. */
export async function migrate(databaseUrl: string): Promise<void> {
  const lock = new Client(connectionOptions(databaseUrl, APPLICATION_NAME));
  await lock.connect();
  try {
    await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await runMigrations(databaseUrl);
    await makePartitionsAhead(databaseUrl);
  } finally {
    // The lock ends with its connection.
    await lock.end();
  }
}

async function runMigrations(databaseUrl: string): Promise<void> {
  // A migration may take as long as it needs.
  const options = { ...dataSourceOptions(databaseUrl, APPLICATION_NAME, 1), extra: { ...LIVELY_CONNECTION, max: 1 } };
  const dataSource = await new DataSource(options).initialize();
  try {
    await dataSource.runMigrations({ transaction: 'each' });
  } finally {
    await dataSource.destroy();
  }
}

async function makePartitionsAhead(databaseUrl: string): Promise<void> {
  const pool = new Pool({ ...connectionOptions(databaseUrl, APPLICATION_NAME), max: 1 });
  try {
    await ensurePartitionsAhead(pool, new Date());
  } catch (error) {
    if (!(error instanceof TableInUseError)) throw error;
    // Until the duty has made them, the default partitions take what is theirs.
    new Logger('Migrations').warn(error.message);
  } finally {
    await pool.end();
  }
}
