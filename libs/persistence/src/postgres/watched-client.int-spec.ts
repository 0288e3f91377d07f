import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { WatchedClient } from './watched-client';

describe('WatchedClient', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(() => database.drop());

  // BullMQ migrates so. A process that was frozen meanwhile ended with "Unhandled 'error' event".
  it('leaves the process alive when nobody listens to a connection that has no answer in time', async () => {
    const pool = new Pool({ connectionString: database.url, query_timeout: 100, max: 1, Client: WatchedClient });
    const client = await pool.connect();

    await expect(client.query('select pg_sleep(10)')).rejects.toThrow('Query read timeout');
    await expect(client.query('rollback')).rejects.toThrow();
    client.release(true);

    await expect(pool.query('select 1')).resolves.toMatchObject({ rowCount: 1 });
    await pool.end();
  });
});
