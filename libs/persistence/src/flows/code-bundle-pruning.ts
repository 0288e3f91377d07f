import { codeSourceHash, type HeldLease } from '@millrace/domain';
import type { Pool } from 'pg';
import { NIL } from 'uuid';
import { untilNone } from '../postgres/halving-batches';

// Deletes the bundles that no version of a flow uses any more.
//
// B1. A bundle is deleted when it has not been used for long and no version, draft or locked, has its source.
// B2. Each use of a bundle is noted with its time. A version that is being saved has used its bundles a moment before.
//     The statement that deletes checks the time again, so these bundles stay although the pruning has not seen the
//     version.
// B3. A bundle whose source was found in a version counts as used at that moment, so all versions are read only once in
//     that time.

const CANDIDATES_AT_ONCE = 10_000;
/** Versions may be large. */
const VERSIONS_AT_ONCE = 50;
/** Bundles may be large. */
const DELETED_AT_ONCE = 100;

const CANDIDATES = 'select source_hash as hash from code_bundle where used_at < $1 order by used_at limit $2';

/**
 * Deletes bundles that have not been used since `unusedSince` and returns their number. It stops when the lease is
 * lost. It can be repeated, and interrupted at any point.
 */
export async function pruneCodeBundles(
  pool: Pick<Pool, 'query'>,
  unusedSince: Date,
  lease: HeldLease,
): Promise<number> {
  const query = { name: 'old-code-bundles', text: CANDIDATES, values: [unusedSince, CANDIDATES_AT_ONCE] };
  const old = (await pool.query<{ hash: string }>(query)).rows.map(({ hash }) => hash);
  if (old.length === 0) return 0;
  const used = await usedByVersions(pool, new Set(old), lease);
  if (!lease.isHeld()) return 0;
  await noteUsed(pool, [...used]);
  return deleteUnused(
    pool,
    old.filter((hash) => !used.has(hash)),
    unusedSince,
  );
}

const VERSIONS = `
  select id, case when trigger::text like '%"sourceCode"%' then trigger end as trigger
  from flow_version where id > $1 order by id limit $2`;

async function usedByVersions(
  pool: Pick<Pool, 'query'>,
  hashes: ReadonlySet<string>,
  lease: HeldLease,
): Promise<Set<string>> {
  const used = new Set<string>();
  let afterId: string = NIL;
  await untilNone(VERSIONS_AT_ONCE, async (limit) => {
    if (!lease.isHeld()) return 0;
    const query = { name: 'versions-with-code', text: VERSIONS, values: [afterId, limit] };
    const { rows } = await pool.query<{ id: string; trigger: unknown }>(query);
    for (const { trigger } of rows) for (const hash of sourcesIn(trigger)) if (hashes.has(hash)) used.add(hash);
    afterId = rows.at(-1)?.id ?? afterId;
    return rows.length;
  });
  return used;
}

/** Yields the hashes of the sources of all code steps, for every schema version of a trigger. */
function* sourcesIn(json: unknown): Generator<string> {
  const pending = [json];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (isSource(next)) yield codeSourceHash(next);
    for (const value of Object.values(next)) pending.push(value);
  }
}

const isSource = (value: object): value is { code: string; packageJson: string } =>
  'code' in value && 'packageJson' in value && typeof value.code === 'string' && typeof value.packageJson === 'string';

async function noteUsed(pool: Pick<Pool, 'query'>, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return;
  const text = 'update code_bundle set used_at = now() where source_hash = any($1)';
  await pool.query({ name: 'note-used-code-bundles', text, values: [hashes] });
}

const DELETE = `
  delete from code_bundle where used_at < $2 and source_hash = any(array(
    select source_hash from code_bundle where source_hash = any($1) and used_at < $2 limit $3))`;

const deleteUnused = (pool: Pick<Pool, 'query'>, hashes: readonly string[], unusedSince: Date): Promise<number> =>
  untilNone(DELETED_AT_ONCE, async (limit) => {
    const query = { name: 'delete-code-bundles', text: DELETE, values: [hashes, unusedSince, limit] };
    return (await pool.query(query)).rowCount ?? 0;
  });
