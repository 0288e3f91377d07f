import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { nameDatabaseError, postgresFailure } from './postgres-failure';

const ignore = (): void => undefined;

/** Anything that takes a statement: the pool, or the connection of a transaction. */
export type Queryable = Pick<PoolClient, 'query'>;

const ATTEMPTS = 5;

/**
 * What `work` does is committed together, or not at all. It is called again when PostgreSQL broke a ring of waiting
 * transactions at this one. Rejects with ServiceUnavailableError when the database is away.
 */
export async function inTransaction<T>(pool: Pool, work: (tx: Queryable) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptOnce(pool, work);
    } catch (error) {
      if (attempt === ATTEMPTS || postgresFailure(error) !== 'transient') throw nameDatabaseError(error);
      await sleep(Math.random() * 2 ** attempt);
    }
  }
}

async function attemptOnce<T>(pool: Pool, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // The pool hears of a lost connection only while it has it. Of this one the next statement says so.
  client.on('error', ignore);
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    client.off('error', ignore);
    client.release();
    return result;
  } catch (error) {
    // Closing the connection rolls back.
    client.release(true);
    throw error;
  }
}
