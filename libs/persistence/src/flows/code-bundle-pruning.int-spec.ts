import { codeSourceHash } from '@millrace/domain';
import { aCodeBundle, anId, HELD, lostAfter } from '@millrace/domain/testing';
import type { Pool, QueryConfig } from 'pg';
import { openHotPool } from '../postgres/hot-pool';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { pruneCodeBundles } from './code-bundle-pruning';
import { PostgresCodeBundleStore } from './postgres-code-bundle.store';

const DAY_MS = 24 * 60 * 60 * 1000;
const weekAgo = () => new Date(Date.now() - 7 * DAY_MS);

describe('pruneCodeBundles', () => {
  let database: TestDatabase;
  let pool: Pool;
  let store: PostgresCodeBundleStore;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openHotPool(database.url, 'code bundle pruning test');
    store = new PostgresCodeBundleStore(pool);
  });
  beforeEach(() => pool.query('truncate code_bundle, flow_version'));
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const sourceOf = (name: string) => ({ code: `export const code = '${name}';`, packageJson: '{"dependencies":{}}' });
  /** Saves a bundle that was used last so many days ago. */
  async function aBundle(name: string, days: number): Promise<string> {
    const hash = codeSourceHash(sourceOf(name));
    await store.save(hash, aCodeBundle());
    await pool.query(`update code_bundle set used_at = now() - $2 * interval '1 day' where source_hash = $1`, [
      hash,
      days,
    ]);
    return hash;
  }
  const codeStep = (name: string) => ({ name, type: 'CODE', settings: { sourceCode: sourceOf(name) } });
  const aVersion = (state: string, trigger: object) =>
    pool.query(
      `insert into flow_version (id, flow_id, display_name, trigger, valid, schema_version, state, notes, created, updated,
         updated_by) values ($1, $1, 'Orders', $2, true, '20', $3, '[]', now(), now(), 'test')`,
      [anId(), JSON.stringify(trigger), state],
    );
  const left = async () =>
    new Set(
      (await pool.query<{ hash: string }>('select source_hash as hash from code_bundle')).rows.map(({ hash }) => hash),
    );

  it('deletes what no version has and nobody used for long, and keeps all others', async () => {
    const locked = await aBundle('locked', 30);
    const draft = await aBundle('draft', 30);
    const young = await aBundle('young', 6);
    await aBundle('unused', 8);
    await aVersion('LOCKED', { nextAction: { type: 'LOOP_ON_ITEMS', firstLoopAction: codeStep('locked') } });
    await aVersion('DRAFT', { nextAction: { type: 'ROUTER', children: [null, codeStep('draft')] } });
    for (let n = 0; n < 120; n++) await aVersion('LOCKED', { nextAction: codeStep(`other ${n}`) });

    await pruneCodeBundles(pool, weekAgo(), HELD);

    expect(await left()).toEqual(new Set([locked, draft, young]));
  });

  it('reads the versions once for what they use, and nothing when all is young', async () => {
    await aBundle('used', 30);
    await aVersion('LOCKED', { nextAction: codeStep('used') });
    const asked = jest.spyOn(pool, 'query');

    await pruneCodeBundles(pool, weekAgo(), HELD);
    const first = asked.mock.calls.length;
    await pruneCodeBundles(pool, weekAgo(), HELD);

    expect(asked.mock.calls.length).toBe(first + 1);
    asked.mockRestore();
  });

  it('keeps the bundle of a version that is published while the others are read', async () => {
    const hash = await aBundle('published', 30);
    await aVersion('LOCKED', {});
    const publishing = {
      query: async (asked: { name: string }) => {
        const answer: unknown = await pool.query(asked as unknown as QueryConfig);
        if (asked.name === 'versions-with-code') expect(await store.find(hash)).not.toBeNull();
        return answer;
      },
    } as unknown as Pool;

    await pruneCodeBundles(publishing, weekAgo(), HELD);

    expect(await left()).toEqual(new Set([hash]));
  });

  it('does not give a bundle away that is deleted at the same moment', async () => {
    const hash = await aBundle('deleted', 30);
    const pruner = await pool.connect();
    await pruner.query('begin');
    await pruner.query('delete from code_bundle where source_hash = $1', [hash]);

    const found = store.find(hash);
    await pruner.query('commit');
    pruner.release();

    expect(await found).toBeNull();
  });

  it('is found by all who ask at once for one that was not used for long', async () => {
    const hash = await aBundle('shared', 30);

    const found = await Promise.all(Array.from({ length: 8 }, () => store.find(hash)));

    expect(found).not.toContain(null);
  });

  it('deletes nothing when the leader lease is lost on the way', async () => {
    const hash = await aBundle('unused', 30);
    await aVersion('LOCKED', {});

    await pruneCodeBundles(pool, weekAgo(), lostAfter(1));

    expect(await left()).toEqual(new Set([hash]));
  });
});
