import { Logger } from '@nestjs/common';
import { Pool, type ClientBase } from 'pg';
import { CLIENT_WAITS_LONGER_MS, TIME_LIMITS } from '../time-limits';
import { connectionOptions } from './connection-options';

const MAX_CONNECTIONS = 4;

/**
 * Opens the pool for everything that accepts and executes runs. A few connections suffice, because the frequent
 * statements carry a whole group of rows. These statements are named, so PostgreSQL parses and plans each once per
 * connection.
 */
export function openHotPool(databaseUrl: string, applicationName: string): Pool {
  const logger = new Logger('HotPool');
  const pool = new Pool({
    ...connectionOptions(databaseUrl, applicationName),
    max: MAX_CONNECTIONS,
    query_timeout: TIME_LIMITS.hotStatementMs + CLIENT_WAITS_LONGER_MS,
    idleTimeoutMillis: 60_000,
    onConnect: prepareSession,
  });
  pool.on('error', (error) => logger.warn(`An idle connection broke: ${error.message}`));
  return pool;
}

/**
 * A generic plan fits groups of every size and saves planning at each call. Sequential scans are off because a generic
 * plan that is made while a table is still empty would scan it sequentially ever after.
 */
async function prepareSession(client: ClientBase): Promise<void> {
  await client.query(
    `set statement_timeout = ${TIME_LIMITS.hotStatementMs}; set plan_cache_mode = force_generic_plan; set enable_seqscan = off`,
  );
}
