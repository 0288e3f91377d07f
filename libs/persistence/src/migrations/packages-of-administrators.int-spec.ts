import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { newId } from '../postgres/new-id';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PackagesOfAdministrators1790850000000 } from './1790850000000-packages-of-administrators';

describe('the migration of packages', () => {
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

  it("takes those that are there for an administrator's, and no later one", async () => {
    const insert = (name: string) =>
      dataSource.query(`insert into piece_package (id, name, version, state) values ($1, $2, '1.0.0', 'INSTALLED')`, [
        newId(),
        name,
      ]);
    const migration = new PackagesOfAdministrators1790850000000();
    const runner = dataSource.createQueryRunner();
    await migration.down(runner);
    await insert('before');

    await migration.up(runner);

    await runner.release();
    await insert('later');
    expect(await dataSource.query('select name, installed_by_admin from piece_package order by name')).toEqual([
      { name: 'before', installed_by_admin: true },
      { name: 'later', installed_by_admin: false },
    ]);
  });
});
