import { Logger } from '@nestjs/common';
import { Pool, type ClientBase } from 'pg';
import { CLIENT_WAITS_LONGER_MS, TIME_LIMITS } from '../time-limits';
import { connectionOptions } from './connection-options';

const MAX_CONNECTIONS = 4;

/**
 * The connections of everything that accepts and executes runs. Few, because the busy statements carry a whole group. All
 * are named, so PostgreSQL parses and plans each once per connection.
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
 * Group sizes differ from call to call: a plan made for an unknown number of rows is right for all of them and saves the
 * planning. Without the second setting that plan may be a sequential scan, made while the table was still empty.
 */
async function prepareSession(client: ClientBase): Promise<void> {
  await client.query(
    `set statement_timeout = ${TIME_LIMITS.hotStatementMs}; set plan_cache_mode = force_generic_plan; set enable_seqscan = off`,
  );
}
