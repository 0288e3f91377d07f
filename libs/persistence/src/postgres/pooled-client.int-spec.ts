import { pgbouncerPrepares, pgbouncerVersion, startPgbouncer, type Pooler } from '@millrace/domain/testing';
import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { openHotPool } from './hot-pool';
import { inTransaction } from './in-transaction';

type Way = [before: string, poolerPrepares: boolean, open: (databaseUrl: string) => Promise<Pooler>];

/** Two sessions for four connections, so that a connection meets different ones. */
const throughPgbouncer = (databaseUrl: string): Promise<Pooler> => startPgbouncer(databaseUrl, 2);
const withoutPooler = (url: string): Promise<Pooler> => Promise.resolve({ url, stop: () => Promise.resolve() });

/** PgBouncer is left out on a machine that has none (Debian: the package pgbouncer). */
const WAYS: Way[] = [
  // Like a pooler that keeps prepared statements, whatever the version of the one on this machine.
  ['PostgreSQL itself', true, withoutPooler],
  ...(pgbouncerVersion() ? [['PgBouncer', false, throughPgbouncer] satisfies Way] : []),
  ...(pgbouncerPrepares() ? [['PgBouncer', true, throughPgbouncer] satisfies Way] : []),
];

describe.each(WAYS)(
  'A pool whose transactions have their own settings, before %s, with prepared statements: %s',
  (...way) => {
    const [, poolerPrepares, openPooler] = way;
    let database: TestDatabase;
    let pooler: Pooler;
    let pool: Pool;

    const open = (): Pool =>
      openHotPool({ databaseUrl: pooler.url, sessionUrl: `${database.url}?`, poolerPrepares }, 'pooled test');

    beforeAll(async () => {
      database = await createTestDatabase();
      pooler = await openPooler(database.url);
      pool = open();
    });
    afterAll(async () => {
      await pool.end();
      await pooler.stop();
      await database.drop();
    });

    const limits = `select current_setting('statement_timeout') as statement, current_setting('enable_seqscan') as scan,
                         current_setting('idle_in_transaction_session_timeout') as idle`;

    it('has its limits in a statement that is a transaction by itself, without an explicit one', async () => {
      const { rows } = await pool.query(limits);

      expect(rows).toEqual([{ statement: '5s', scan: 'off', idle: '10s' }]);
    });

    it('has its limits in each transaction, and leaves none to the session', async () => {
      const within = await inTransaction(pool, async (tx) => (await tx.query(limits)).rows);
      const plain = new Pool({ connectionString: pooler.url, max: 1 });
      const { rows: others } = await plain.query<{ statement: string }>(limits);
      await plain.end();

      expect(within).toEqual([{ statement: '5s', scan: 'off', idle: '10s' }]);
      expect(others[0]?.statement).toBe('0');
    });

    it('ends a statement that takes too long by the limit of the server', async () => {
      const short = open();
      Object.assign(short.options, { transactionSettings: { statement_timeout: 50 } });

      await expect(short.query('select pg_sleep(10)')).rejects.toMatchObject({ code: '57014' });
      await short.end();
    });

    it('executes a named statement many times at once, whichever session it meets', async () => {
      const named = { name: 'doubled', text: 'select $1::int * 2 as doubled' };

      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) => pool.query<{ doubled: number }>({ ...named, values: [n] })),
      );

      expect(answers.map(({ rows }) => rows[0]?.doubled)).toEqual(Array.from({ length: 50 }, (_, n) => 2 * n));
    });

    it('reports the error of a statement, and rolls its transaction back', async () => {
      await pool.query('create table doomed (id int primary key)');

      const twice = inTransaction(pool, async (tx) => {
        await tx.query('insert into doomed values ($1)', [1]);
        await tx.query('insert into doomed values ($1)', [1]);
      });

      await expect(twice).rejects.toMatchObject({ code: '23505' });
      expect((await pool.query('select * from doomed')).rows).toEqual([]);
    });
  },
);
