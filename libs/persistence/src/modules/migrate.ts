import { Logger } from '@nestjs/common';
import { Client, Pool } from 'pg';
import { DataSource } from 'typeorm';
import { connectionOptions, LIVELY_CONNECTION } from '../postgres/connection-options';
import { dataSourceOptions } from './data-source';
import { TableInUseError } from '../postgres/partitions';
import { ensurePartitionsAhead } from '../postgres/run-partitions';

/** The key of the advisory lock. It may be any number that is the same in every process. */
const MIGRATION_LOCK = 7_203_115_002;
const APPLICATION_NAME = 'millrace migrations';

/**
 * Runs the migrations that the database lacks and makes the partitions ahead. Processes that start at the same time do
 * so one after the other. Rejects when the database cannot be reached or a migration fails.
 */
export async function migrate(databaseUrl: string): Promise<void> {
  const lock = new Client(connectionOptions(databaseUrl, APPLICATION_NAME));
  await lock.connect();
  try {
    await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await runMigrations(databaseUrl);
    await makePartitionsAhead(databaseUrl);
  } finally {
    // Closing the connection releases the lock.
    await lock.end();
  }
}

async function runMigrations(databaseUrl: string): Promise<void> {
  // The pool has no statement time-out, because a migration may take long.
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
    // The default partitions take new rows until the duty PartitionsAhead has made the missing partitions.
    new Logger('Migrations').warn(error.message);
  } finally {
    await pool.end();
  }
}
