import { ServiceUnavailableError } from '@millrace/domain';
import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { openHotPool } from './hot-pool';
import { inTransaction, type Queryable } from './in-transaction';

describe('a transaction', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openHotPool(database.url, 'transaction test');
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const backendOf = async (tx: Queryable): Promise<number> =>
    (await tx.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid ?? 0;
  const isGone = async (pid: number): Promise<boolean> =>
    (await pool.query('select from pg_stat_activity where pid = $1', [pid])).rowCount === 0;

  it('whose connection is lost between two statements fails as one that found the database away', async () => {
    const broken = inTransaction(pool, async (tx) => {
      const pid = await backendOf(tx);
      await pool.query('select pg_terminate_backend($1)', [pid]);
      while (!(await isGone(pid)));
      await tx.query('select 1');
    });

    await expect(broken).rejects.toBeInstanceOf(ServiceUnavailableError);
    await expect(inTransaction(pool, backendOf)).resolves.toBeGreaterThan(0);
  });

  it('leaves nothing on a connection that others use after it', async () => {
    const listeners = async (): Promise<number> => {
      const client = await pool.connect();
      const count = client.listenerCount('error');
      client.release();
      return count;
    };
    const before = await listeners();

    for (let n = 0; n < 3; n++) await inTransaction(pool, backendOf);

    expect(await listeners()).toBe(before);
  });
});
