import { Logger } from '@nestjs/common';
import { Pool, type ClientBase, type PoolConfig } from 'pg';
import { CLIENT_WAITS_LONGER_MS, TIME_LIMITS } from '../time-limits';
import { connectionOptions, pooledOptions } from './connection-options';
import { addressOf, type Database } from './postgres-settings';

const MAX_CONNECTIONS = 4;

/**
 * A generic plan fits groups of every size and saves planning at each call. Sequential scans are off because a generic
 * plan that is made while a table is still empty would scan it sequentially ever after.
 */
const SESSION = {
  statement_timeout: TIME_LIMITS.hotStatementMs,
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
};

/**
 * Opens the pool for everything that accepts and executes runs. A few connections suffice, because the frequent
 * statements carry a whole group of rows. These statements are named, so PostgreSQL parses and plans each once per
 * connection.
 */
export function openHotPool(database: Database, applicationName: string, maxConnections = MAX_CONNECTIONS): Pool {
  const logger = new Logger('HotPool');
  const pool = new Pool({
    ...hotOptions(database, applicationName),
    max: maxConnections,
    query_timeout: TIME_LIMITS.hotStatementMs + CLIENT_WAITS_LONGER_MS,
    idleTimeoutMillis: 60_000,
  });
  pool.on('error', (error) => logger.warn(`An idle connection broke: ${error.message}`));
  return pool;
}

function hotOptions(database: Database, applicationName: string): PoolConfig {
  const { databaseUrl, poolerPrepares } = addressOf(database);
  // Statements without a name are planned at each call, and better with their values.
  const settings = poolerPrepares ? SESSION : { ...SESSION, plan_cache_mode: 'auto' };
  const pooled = pooledOptions(database, settings);
  if (pooled) return { connectionString: databaseUrl, application_name: applicationName, ...pooled };
  return { ...connectionOptions(databaseUrl, applicationName), onConnect: prepareSession };
}

async function prepareSession(client: ClientBase): Promise<void> {
  const settings = Object.entries(SESSION).map(([name, value]) => `set ${name} = ${value}`);
  await client.query(settings.join('; '));
}
