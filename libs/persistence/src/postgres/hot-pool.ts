import { Logger } from '@nestjs/common';
import { Pool, type ClientBase } from 'pg';

/** Longest wait for one statement of the hot path, and for a connection. A caller hears "unavailable" after that. */
const DEADLINE_MS = 5_000;
const MAX_CONNECTIONS = 4;

/**
 * The connections of everything that accepts and executes runs. Few, because the busy statements carry a whole group. All
 * are named, so PostgreSQL parses and plans each once per connection.
 */
export function openHotPool(databaseUrl: string, applicationName: string): Pool {
  const logger = new Logger('HotPool');
  const pool = new Pool({
    connectionString: databaseUrl,
    max: MAX_CONNECTIONS,
    application_name: applicationName,
    connectionTimeoutMillis: DEADLINE_MS,
    // The server gives up first when it is alive; the client when it is not.
    query_timeout: DEADLINE_MS + 500,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
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
    `set statement_timeout = ${DEADLINE_MS}; set plan_cache_mode = force_generic_plan; set enable_seqscan = off`,
  );
}
