import type { StoreWrite } from '@millrace/domain';
import type { Queryable } from '../postgres/in-transaction';
import { newId } from '../postgres/new-id';
import { storableText } from '../postgres/stored-json';
import { encodeText } from '../postgres/stored-text';

const REMOVE = 'delete from store_entry where project_id = $1 and scope = $2 and scope_id = $3 and key = $4';

const WRITE = `
  insert into store_entry as known (project_id, scope, scope_id, key, id, value, created, updated)
  values ($1, $2, $3, $4, $5, $6, now(), now())
  on conflict (project_id, scope, scope_id, key) do update set
    value = excluded.value, last_step_key = null, revision = known.revision + 1, updated = now()`;

const HAS_FLOW = 'select from flow where id = $1 for key share';
const HAS_OPERATION = `select from trigger_operation where flow_id = $1 and kind <> 'TESTING'`;

/**
 * Writes changes of the store of a flow in the transaction of what they belong to. A deleted flow has a store until its
 * operations have ended; the transaction that ends one has locked it.
 */
export async function writeStoreEntries(
  tx: Queryable,
  { flowId, projectId }: { flowId: string; projectId: string },
  writes: readonly StoreWrite[],
): Promise<void> {
  if (writes.length === 0) return;
  const hasStore = (await exists(tx, HAS_FLOW, flowId)) || (await exists(tx, HAS_OPERATION, flowId));
  // Everybody writes in the same order, so that two transactions do not wait for each other.
  const ordered = [...writes].sort((a, b) => (a.scope + a.key < b.scope + b.key ? -1 : 1));
  for (const { scope, key, value, references } of ordered) {
    if (scope === 'FLOW' && !hasStore) continue;
    const place = [projectId, scope, scope === 'FLOW' ? flowId : projectId, storableText(key)];
    if (value === null) await tx.query(REMOVE, place);
    else {
      const text = JSON.stringify(value);
      await tx.query(WRITE, [...place, newId(), await encodeText(references ? { text, references } : text)]);
    }
  }
}

const exists = async (tx: Queryable, find: string, flowId: string): Promise<boolean> =>
  (await tx.query(find, [flowId])).rowCount === 1;
