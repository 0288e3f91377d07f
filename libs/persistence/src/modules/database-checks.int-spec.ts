import { Pool } from 'pg';
import { databaseChecks } from './postgres.module';

describe('the check of the database', () => {
  const checkOf = async (options: string): Promise<true | string> => {
    const pool = new Pool({ connectionString: process.env['MILLRACE_TEST_DATABASE_URL'], options, max: 1 });
    try {
      return await databaseChecks(pool).database();
    } finally {
      await pool.end();
    }
  };

  it('passes where writes are taken, and says so where they are not', async () => {
    expect(await checkOf('')).toBe(true);
    expect(await checkOf('-c default_transaction_read_only=on')).toMatch(/read-only/);
  });
});
