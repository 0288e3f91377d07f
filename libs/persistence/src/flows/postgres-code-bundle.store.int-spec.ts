import { aCodeBundle, describeCodeBundleStore } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { openHotPool } from '../postgres/hot-pool';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresCodeBundleStore } from './postgres-code-bundle.store';

let database: TestDatabase;
let pool: Pool;
let store: PostgresCodeBundleStore;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openHotPool(database.url, 'code bundle test');
  store = new PostgresCodeBundleStore(pool);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

describeCodeBundleStore('PostgresCodeBundleStore', () => store);

describe('PostgresCodeBundleStore', () => {
  it('keeps a bundle of several megabytes, compressed', async () => {
    const bundle = aCodeBundle({ script: 'const answer = 42;\n'.repeat(300_000) });

    await store.save('large', bundle);

    expect(await store.find('large')).toEqual(bundle);
    const { rows } = await pool.query("select length(bundle) from code_bundle where source_hash = 'large'");
    expect(rows[0]).toEqual({ length: expect.any(Number) });
    expect((rows[0] as { length: number }).length).toBeLessThan(200_000);
  });

  it('gives everyone the same bundle when many save at once', async () => {
    const saved = Array.from({ length: 10 }, (_, i) => aCodeBundle({ script: `bundle ${i}` }));

    const found = await Promise.all(
      saved.map(async (bundle) => {
        await store.save('raced', bundle);
        return store.find('raced');
      }),
    );

    expect(new Set(found.map((bundle) => bundle?.script)).size).toBe(1);
  });
});
