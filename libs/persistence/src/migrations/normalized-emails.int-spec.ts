import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { newId } from '../postgres/new-id';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { NormalizedEmails1790766000000 } from './1790766000000-normalized-emails';

describe('the migration of addresses', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'migration test')).initialize();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  it('gives addresses their one form, in any locale, but for those that two users share then', async () => {
    const stored = [
      'plain@example.com',
      'Äpfel@example.com',
      'Ａda@example.com',
      'ada@example.com',
      'ｂob@b.cc',
      'Ⓑob@b.cc',
    ];
    const ids = new Map<string, string>();
    for (const email of stored) {
      ids.set(email, newId());
      await dataSource.query(
        `insert into app_user (id, email, password_hash, first_name, last_name, platform_role, created)
         values ($1, $2, '', '', '', 'MEMBER', now())`,
        [ids.get(email), email],
      );
    }
    const runner = dataSource.createQueryRunner();

    await new NormalizedEmails1790766000000().up(runner);
    await runner.release();

    const rows = await dataSource.query<{ id: string; email: string }[]>('select id, email from app_user');
    const now = new Map(rows.map(({ id, email }) => [id, email]));
    expect(stored.map((email) => now.get(ids.get(email) ?? ''))).toEqual([
      'plain@example.com',
      'äpfel@example.com',
      'Ａda@example.com',
      'ada@example.com',
      'ｂob@b.cc',
      'Ⓑob@b.cc',
    ]);
  });
});
