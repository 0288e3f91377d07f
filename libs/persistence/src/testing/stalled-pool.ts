import type { Pool, PoolClient } from 'pg';

export interface StalledPool {
  /** The pool for the code that shall be stalled. */
  pool: Pool;
  /** Resolves when the first transaction is about to send the statement. */
  reached: Promise<void>;
  go(): void;
}

/**
 * Returns a pool whose transactions stop before the statement whose name begins so until `go` is called, to test races in an order.
 */
export function stalledBefore(pool: Pool, statement: string): StalledPool {
  let go = (): void => undefined;
  let reach = (): void => undefined;
  const free = new Promise<void>((resolve) => (go = resolve));
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const connect = async (): Promise<PoolClient> => {
    const client = await pool.connect();
    const query = async (...sent: unknown[]): Promise<unknown> => {
      if ((sent[0] as { name?: string }).name?.startsWith(statement)) {
        reach();
        await free;
      }
      return Reflect.apply(client.query, client, sent) as unknown;
    };
    return Object.assign(Object.create(client) as PoolClient, { query, release: client.release.bind(client) });
  };
  const query = pool.query.bind(pool);
  return { pool: Object.assign(Object.create(pool) as Pool, { connect, query }), reached, go };
}

const LONGEST_WAIT_MS = 5_000;

/** Resolves when at least `count` statements of this database wait for a lock. Rejects after five seconds. */
export async function untilLockWait(pool: Pool, count = 1): Promise<void> {
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  const deadline = Date.now() + LONGEST_WAIT_MS;
  while (((await pool.query(waiting)).rowCount ?? 0) < count) {
    if (Date.now() > deadline) throw new Error('No statement waits for a lock.');
  }
}

/**
 * Runs both at once: `first` is stalled in its transaction until `second` waits for its lock. Resolves to both results.
 */
export async function inThisOrder<First, Second>(
  { pool, reached, go }: StalledPool,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<[First, Second]> {
  const firstEnds = first();
  await reached;
  const secondEnds = second();
  await untilLockWait(pool);
  go();
  return Promise.all([firstEnds, secondEnds]);
}
