import { hkdfSync } from 'node:crypto';
import { connectionsOfWebhook, UnreadableSecretError } from '@millrace/domain';
import type { Pool } from 'pg';
import { NIL } from 'uuid';
import { PostgresConnectionSharing } from '../connections/postgres-connection-sharing';
import { DataKeys, WrongEncryptionKeyError } from '../secrets/data-keys';
import { KEY_BYTES } from '../secrets/encryption';
import type { KeyPurpose, KeyRing } from '../secrets/key-ring';
import { PostgresDataKeyStore } from '../secrets/postgres-data-key-store';
import { SecretBox } from '../secrets/secret-box';
import { findFormer, FORMER_TABLES, replaceFormer } from './former-secrets';

type Db = Pick<Pool, 'query'>;

const BATCH = 100;
const SAMPLE = 3;

/**
 * Checks at the start of an app that its keys open what the database holds. Throws WrongEncryptionKeyError, whose message
 * names the setting.
 */
export async function openStoredKeys(db: Db, ring: KeyRing): Promise<void> {
  const { rows } = await db.query<{ purpose: KeyPurpose; wrappedBy: string }>(
    'select distinct purpose, wrapped_by as "wrappedBy" from data_key',
  );
  if (rows.some(({ purpose, wrappedBy }) => ring.serves(purpose) && !ring.opens(purpose, wrappedBy)))
    throw new WrongEncryptionKeyError(ring.settings);
  if (rows.length === 0 && ring.formerKeys.length > 0) await openFormer(db, ring);
}

/** Before the first data key is made, only secrets in the first format can tell whether the key is right. */
async function openFormer(db: Db, ring: KeyRing): Promise<void> {
  const box = boxOf(db, ring);
  for (const table of FORMER_TABLES) {
    const secrets = await findFormer(db, table, NIL, SAMPLE);
    const opened = await Promise.allSettled(secrets.map(({ sealed, place }) => box.open(sealed, place)));
    if (opened.some(({ status }) => status === 'fulfilled')) return;
    if (opened.length > 0) throw new WrongEncryptionKeyError(ring.settings);
  }
}

/**
 * Makes the keys of the installation where they are missing. An installation that had none signed its links and made its
 * request ids with keys derived from the encryption key; these are kept, so that what was given out stays valid.
 */
export async function makeInstallationKeys(db: Db, ring: KeyRing): Promise<void> {
  const keys = new DataKeys(new PostgresDataKeyStore(db), ring);
  const { rowCount } = await db.query('select from flow limit 1');
  const former = ring.formerKeys.at(-1);
  for (const purpose of ['file links', 'request ids'] as const) {
    const derived =
      rowCount && former ? Buffer.from(hkdfSync('sha256', former, '', `millrace ${purpose}`, KEY_BYTES)) : undefined;
    await keys.of(purpose, null, derived);
  }
}

/**
 * Seals secrets in the first format again, each with the data key of its project. Returns how many it sealed, and the
 * names of those that do not open. It may be interrupted and repeated, while the service runs.
 */
export async function resealFormerSecrets(db: Db, ring: KeyRing): Promise<{ resealed: number; unreadable: string[] }> {
  const box = boxOf(db, ring);
  const unreadable: string[] = [];
  let resealed = 0;
  for (const table of FORMER_TABLES) {
    for (let after: string = NIL; ;) {
      const secrets = await findFormer(db, table, after, BATCH);
      for (const secret of secrets) {
        const text = await box.open(secret.sealed, secret.place).catch(nullIfUnreadable);
        if (text === null) unreadable.push(secret.place.name);
        else await replaceFormer(db, table, secret, await box.seal(text, secret.place));
        if (text !== null) resealed++;
      }
      const last = secrets.at(-1);
      if (!last) break;
      after = last.id;
    }
  }
  return { resealed, unreadable };
}

const WEBHOOKS_WITH_CONNECTIONS = `
  select flow.project_id as "projectId", version.trigger_piece as "triggerPiece", version.trigger_input as "triggerInput"
  from flow join flow_version version on version.id in (flow.published_version_id, flow.latest_version_id)
  where position('connections' in version.trigger_input::text) > 0`;

interface WebhookRow {
  projectId: string;
  triggerPiece: string | null;
  triggerInput: unknown;
}

/**
 * Shares the connections by which the gateway checks webhooks. A release before sharing may have written their flows. It
 * may be interrupted and repeated, while the service runs.
 */
export async function shareConnectionsOfWebhooks(pool: Pool, ring: KeyRing): Promise<void> {
  const sharing = new PostgresConnectionSharing(pool, boxOf(pool, ring));
  const { rows } = await pool.query<WebhookRow>(WEBHOOKS_WITH_CONNECTIONS);
  for (const { projectId, ...trigger } of rows) await sharing.share(projectId, connectionsOfWebhook(trigger));
}

const boxOf = (db: Db, ring: KeyRing): SecretBox =>
  new SecretBox(new DataKeys(new PostgresDataKeyStore(db), ring), ring);

function nullIfUnreadable(error: unknown): null {
  if (error instanceof UnreadableSecretError) return null;
  throw error;
}
