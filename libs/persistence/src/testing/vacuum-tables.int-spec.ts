import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from './test-database';
import { vacuumTables } from './vacuum-tables';

describe('vacuumTables', () => {
  let database: TestDatabase;
  let older: Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    older = new Client({ connectionString: database.url });
    await older.connect();
  });
  afterAll(async () => {
    await older.end();
    await database.drop();
  });

  it('is done when all rows, also those of partitions, are visible to all, and says who keeps it from that', async () => {
    const filling = new Client({ connectionString: database.url });
    await filling.connect();
    await filling.query('create table plain (n int)');
    await filling.query('create table parted (n int) partition by range (n)');
    await filling.query('create table part partition of parted default');
    await older.query('begin isolation level repeatable read');
    await older.query('select count(*) from plain');
    await filling.query('insert into parted select generate_series(1, 1000)');
    await filling.end();

    await expect(vacuumTables(database.url, ['plain', 'parted'], 2)).rejects.toThrow(
      'older than rows of plain, parted',
    );
    await older.query('commit');
    await vacuumTables(database.url, ['plain', 'parted']);

    const { rows } = await older.query(`select relpages > 0 and relpages = relallvisible as visible
      from pg_class where relname = 'part'`);
    expect(rows).toEqual([{ visible: true }]);
  });
});
