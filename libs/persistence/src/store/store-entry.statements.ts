import type { StorePlace, StoreScope } from '@millrace/domain';
import type { Pool } from 'pg';
import { inSlice, inSliceOrder, StatementValues } from '../lists/list-statement';
import type { Slice } from '../lists/page-cursor';
import { storableText } from '../postgres/stored-json';

export interface StoredEntry {
  id: string;
  project_id: string;
  scope: StoreScope;
  scope_id: string;
  key: string;
  value: Buffer;
  revision: number;
  last_step_key: string | null;
  created: Date;
  updated: Date;
}

/** The revision of an entry that was read. A write for it changes nothing when another write came between. */
export type EntryState = Pick<StoredEntry, 'id' | 'revision'>;

export interface EntryWrite {
  value: Buffer;
  stepKey: string | null;
}

const valuesOf = ({ projectId, scope, scopeId, key }: StorePlace) => [projectId, scope, scopeId, storableText(key)];

const FIND = `
  select id, value, revision, last_step_key from store_entry
  where project_id = $1 and scope = $2 and scope_id = $3 and key = $4`;

export async function findEntry(
  pool: Pool,
  place: StorePlace,
): Promise<Pick<StoredEntry, 'id' | 'value' | 'revision' | 'last_step_key'> | undefined> {
  const query = { name: 'find-store-entry', text: FIND, values: valuesOf(place) };
  return (await pool.query<StoredEntry>(query)).rows[0];
}

const INSERT = `
  insert into store_entry (project_id, scope, scope_id, key, id, value, last_step_key, created, updated)
  values ($1, $2, $3, $4, $5, $6, $7, now(), now())
  on conflict do nothing`;

/** Returns false when an entry exists by now. */
export async function insertEntry(pool: Pool, place: StorePlace, id: string, write: EntryWrite): Promise<boolean> {
  const values = [...valuesOf(place), id, write.value, write.stepKey];
  return (await pool.query({ name: 'insert-store-entry', text: INSERT, values })).rowCount === 1;
}

const REPLACE = `
  update store_entry set value = $3, last_step_key = $4, revision = revision + 1, updated = now()
  where id = $1 and revision = $2`;

/** Returns false when another write came between. */
export async function replaceEntry(pool: Pool, { id, revision }: EntryState, write: EntryWrite): Promise<boolean> {
  const values = [id, revision, write.value, write.stepKey];
  return (await pool.query({ name: 'replace-store-entry', text: REPLACE, values })).rowCount === 1;
}

const REMOVE = 'delete from store_entry where id = $1 and revision = $2';

/** Returns false when another write came between. */
export async function removeEntry(pool: Pool, { id, revision }: EntryState): Promise<boolean> {
  return (await pool.query({ name: 'remove-store-entry', text: REMOVE, values: [id, revision] })).rowCount === 1;
}

export async function listEntries(
  pool: Pool,
  { projectId, scope, scopeId, key }: Pick<StorePlace, 'projectId'> & Partial<StorePlace>,
  slice: Slice,
): Promise<StoredEntry[]> {
  const values = new StatementValues();
  const conditions = [`project_id = ${values.id(projectId)}`, inSlice('id', slice, values)];
  if (scope !== undefined) conditions.push(`scope = ${values.text(scope)}`);
  if (scopeId !== undefined) conditions.push(`scope_id = ${values.id(scopeId)}`);
  if (key !== undefined) conditions.push(`key = ${values.text(key)}`);
  const text = `select * from store_entry where ${conditions.join(' and ')} ${inSliceOrder('id', slice)}`;
  return (await pool.query<StoredEntry>(text, values.all)).rows;
}
