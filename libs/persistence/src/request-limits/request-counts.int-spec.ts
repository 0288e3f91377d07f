import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresRequestCounts } from './postgres-request-counts';

describe('the counts of requests', () => {
  let database: TestDatabase;
  let pool: Pool;
  let counts: PostgresRequestCounts;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url });
    counts = new PostgresRequestCounts(pool);
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('are those of all processes, by name and minute', async () => {
    await counts.add(1, new Map([['a', 2]]));
    expect(
      [
        ...(await counts.add(
          1,
          new Map([
            ['b', 5],
            ['a', 3],
          ]),
        )),
      ].sort(),
    ).toEqual([
      ['a', 5],
      ['b', 5],
    ]);
    expect([...(await counts.add(2, new Map([['a', 1]])))]).toEqual([['a', 1]]);
  });

  it('add up when many processes count at once', async () => {
    const both = new Map([
      ['x', 1],
      ['y', 1],
    ]);
    const turned = new Map([...both].reverse());
    await Promise.all(Array.from({ length: 40 }, (_, index) => counts.add(3, index % 2 ? both : turned)));
    expect((await counts.add(3, both)).get('x')).toBe(41);
  });
});
