import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { nameDatabaseError, postgresFailure } from './postgres-failure';

const ignore = (): void => undefined;

/** The pool, or the connection of a transaction. */
export type Queryable = Pick<PoolClient, 'query'>;

const ATTEMPTS = 5;

/**
 * Commits all that `work` does, or nothing. `work` is called up to five times when the transaction fails for a
 * transient reason, for example a deadlock. Rejects with ServiceUnavailableError when the database is unavailable.
 */
export const inTransaction = <T>(pool: Pool, work: (tx: Queryable) => Promise<T>): Promise<T> =>
  repeatWhenTransient(() => attemptOnce(pool, work));

/** Repeats a transaction that failed for a transient reason. Rejects as `inTransaction` does. */
export async function repeatWhenTransient<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt === ATTEMPTS || postgresFailure(error) !== 'transient') throw nameDatabaseError(error);
      await sleep(Math.random() * 2 ** attempt);
    }
  }
}

async function attemptOnce<T>(pool: Pool, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // The pool listens for errors of idle connections only. This listener keeps a lost connection from ending the
  // process; the next statement on the connection reports the loss.
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
