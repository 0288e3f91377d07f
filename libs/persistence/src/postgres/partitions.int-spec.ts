import type { Pool, PoolClient } from 'pg';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { openHotPool } from './hot-pool';
import { dropPartition, ensurePartition, partitionNames, TableInUseError } from './partitions';
import { KEYS } from './run-partitions';

const PATIENT = { tries: 1_000, pauseMs: 20 };
const DAY = { name: 'run_key_20310501', from: '2031-05-01', to: '2031-05-02' };

describe('partitions while somebody reads the table for long', () => {
  let database: TestDatabase;
  let pool: Pool;
  let reader: PoolClient;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openHotPool(database.url, 'partitions test');
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    reader = await pool.connect();
    await reader.query('begin');
    await reader.query('select from run_key');
  });
  afterEach(() => reader.release(true));

  /** Other statements on the table. They would wait behind a change that waits for the table's lock. */
  const othersAreServed = async (times: number): Promise<void> => {
    for (let n = 0; n < times; n++) await pool.query('select from run_key limit 1');
  };
  const isThere = async (): Promise<boolean> => (await partitionNames(pool, KEYS)).includes(DAY.name);

  it('are made when it has ended, and nobody else waits for that', async () => {
    const made = ensurePartition(pool, KEYS, DAY, PATIENT);

    await othersAreServed(50);
    expect(await isThere()).toBe(false);
    await reader.query('commit');
    await made;

    expect(await isThere()).toBe(true);
  });

  it('are dropped when it has ended, and nobody else waits for that', async () => {
    await reader.query('commit');
    await ensurePartition(pool, KEYS, DAY);
    await reader.query('begin');
    await reader.query('select from run_key');
    const dropped = dropPartition(pool, KEYS, DAY.name, () => Promise.resolve(), PATIENT);

    await othersAreServed(50);
    expect(await isThere()).toBe(true);
    await reader.query('commit');
    await dropped;

    expect(await isThere()).toBe(false);
  });

  it('are given up after some tries, and say so', async () => {
    const tried = ensurePartition(pool, KEYS, DAY, { tries: 2, pauseMs: 20 });

    await expect(tried).rejects.toBeInstanceOf(TableInUseError);
  });
});
