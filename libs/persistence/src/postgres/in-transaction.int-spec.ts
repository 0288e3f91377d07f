import { ServiceUnavailableError } from '@millrace/domain';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { openHotPool } from './hot-pool';
import { inEntityTransaction } from './in-entity-transaction';
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

  it('is repeated after a deadlock, with entities too', async () => {
    const dataSource = await new DataSource(dataSourceOptions(database.url, 'transaction test')).initialize();
    await pool.query('create table pair (id int primary key, value int not null default 0)');
    await pool.query('insert into pair (id) values (1), (2)');
    const add = 'update pair set value = value + 1 where id = $1';
    let holding = 0;
    let bothHold = (): void => undefined;
    const met = new Promise<void>((resolve) => (bothHold = resolve));
    /** Each locks one row, waits until the other has locked its row, and then wants that one. */
    const crossing = (first: number, second: number) => async (query: (text: string, values: number[]) => unknown) => {
      await query(add, [first]);
      if (++holding === 2) bothHold();
      await met;
      await query(add, [second]);
    };
    const [one, other] = [crossing(1, 2), crossing(2, 1)];

    await Promise.all([
      inEntityTransaction(dataSource, (tx) => one((text, values) => tx.query(text, values))),
      inTransaction(pool, (tx) => other((text, values) => tx.query(text, values))),
    ]);

    expect((await pool.query<{ value: number }>('select value from pair')).rows).toEqual([{ value: 2 }, { value: 2 }]);
    // PostgreSQL may end both of them on a busy machine.
    expect(holding).toBeGreaterThan(2);
    await dataSource.destroy();
  });
});
