import type { Pool } from 'pg';
import { NIL } from 'uuid';
import type { KeyPurpose, KeyRing, WrappedKey } from '../secrets/key-ring';
import { makeInstallationKeys, openStoredKeys, resealFormerSecrets } from './prepare-secrets';

// R1. Only the wrapping of data keys changes, so what they sealed stays as it is, and processes that run go on.
// R2. Each key is wrapped again by a statement of its own that names the wrapping it replaces, so the rotation may be
//     killed at any moment, repeated, and performed by two processes at once.

type Db = Pick<Pool, 'query'>;

const BATCH = 100;

// Data keys for webhooks are wrapped by a key of their own, so a page is of one purpose.
const FIND = `
  select id, purpose, project_id as "projectId", wrapped, wrapped_by as "wrappedBy" from data_key
  where purpose = $1 and wrapped_by <> $2 and id > $3 order by id limit $4`;
const REPLACE = 'update data_key set wrapped = $3, wrapped_by = $4 where id = $1 and wrapped_by = $2';

const PURPOSES: readonly KeyPurpose[] = ['secrets', 'webhooks', 'file links', 'request ids'];

export interface Rotation {
  /** How many data keys the present key wraps now that the previous one did before. */
  rewrapped: number;
  resealed: number;
  /** The ids of data keys, and the names of secrets, that do not open. */
  unreadable: string[];
}

/** Wraps every data key with the present encryption key. Throws WrongEncryptionKeyError. */
export async function rotateEncryptionKey(db: Db, ring: KeyRing): Promise<Rotation> {
  await openStoredKeys(db, ring);
  await makeInstallationKeys(db, ring);
  const { resealed, unreadable } = await resealFormerSecrets(db, ring);
  let rewrapped = 0;
  for (const purpose of PURPOSES) {
    const result = await rewrap(db, ring, purpose);
    rewrapped += result.rewrapped;
    unreadable.push(...result.unreadable.map((id) => `the data key ${id}`));
  }
  return { rewrapped, resealed, unreadable };
}

async function rewrap(
  db: Db,
  ring: KeyRing,
  purpose: KeyPurpose,
): Promise<{ rewrapped: number; unreadable: string[] }> {
  const unreadable: string[] = [];
  let rewrapped = 0;
  for (let after: string = NIL; ;) {
    const { rows } = await db.query<WrappedKey>(FIND, [purpose, ring.presentFingerprint(purpose), after, BATCH]);
    for (const stored of rows) {
      const key = ring.unwrap(stored);
      if (!key) {
        unreadable.push(stored.id);
        continue;
      }
      const { wrapped, wrappedBy } = ring.wrap(key);
      const { rowCount } = await db.query(REPLACE, [stored.id, stored.wrappedBy, wrapped, wrappedBy]);
      rewrapped += rowCount ?? 0;
    }
    const last = rows.at(-1);
    if (!last) return { rewrapped, unreadable };
    after = last.id;
  }
}
