import type { KeyPurpose, KeyRing } from '../secrets/key-ring';
import type { Client } from 'pg';
import { BackupError } from './backup-error';
import type { Manifest, SampleKey } from './manifest';

// A backup without its encryption key is a service without its secrets. So the fingerprint of the key is in the manifest,
// with one wrapped data key of each purpose, and a restore with another key is refused before anything is written.

/** The gateway's key, derived from the encryption key, wraps data keys for these purposes. */
const BY_DERIVED_KEY: readonly string[] = ['webhooks', 'file links'] satisfies KeyPurpose[];

/** Reads by which keys data keys are wrapped, and a data key of each purpose: that of a project, where there is one. */
export async function readKeys(client: Client): Promise<Pick<Manifest, 'keys' | 'sampleKeys'>> {
  const keys = await client.query<Manifest['keys'][number]>(
    'select distinct purpose, wrapped_by as "wrappedBy" from data_key order by 1, 2',
  );
  const samples = await client.query<SampleKey>(`
    select distinct on (purpose, wrapped_by) id, purpose, project_id as "projectId", encode(wrapped, 'base64') as wrapped,
      wrapped_by as "wrappedBy"
    from data_key order by purpose, wrapped_by, project_id nulls last`);
  return { keys: keys.rows, sampleKeys: samples.rows };
}

/** The fingerprints of the encryption keys that the backup needs. During a rotation there are two. */
export const fingerprintsOf = ({ keys }: Pick<Manifest, 'keys'>): string[] => [
  ...new Set(keys.filter(({ purpose }) => !BY_DERIVED_KEY.includes(purpose)).map(({ wrappedBy }) => wrappedBy)),
];

/**
 * Throws BackupError unless the keys open what is in the backup. It does not trust fingerprints alone: it opens a data
 * key of each purpose.
 */
export function checkKeys(manifest: Manifest, ring: KeyRing | undefined): void {
  const needed = fingerprintsOf(manifest);
  if (needed.length === 0) return; // nothing was ever sealed
  const which = `${needed.length > 1 ? 'the keys with the fingerprints' : 'the key with the fingerprint'} ${needed.join(' and ')}`;
  if (!ring)
    throw new BackupError(
      `This backup needs its encryption key, ${which}: set SVC_ENCRYPTION_KEY to it. ` +
        'It was kept apart from the backup, for example as `encryptionKey` of credentials.json.',
    );
  const opensAll = manifest.keys.every(({ purpose, wrappedBy }) => ring.opens(purpose as KeyPurpose, wrappedBy));
  if (!opensAll)
    throw new BackupError(
      `SVC_ENCRYPTION_KEY (fingerprint ${ring.presentFingerprint('secrets')}) is not the key of this backup, which is ${which}. ` +
        'Set SVC_ENCRYPTION_KEY to that key, and SVC_ENCRYPTION_PREVIOUS_KEY if there are two. Nothing was written.',
    );
  const broken = manifest.sampleKeys.find((key) => !ring.unwrap(asWrapped(key)));
  if (broken)
    throw new BackupError(`The backup is damaged: the data key ${broken.id} does not open. Nothing was written.`);
}

const asWrapped = ({ purpose, wrapped, ...key }: SampleKey) => ({
  ...key,
  purpose: purpose as KeyPurpose,
  wrapped: Buffer.from(wrapped, 'base64'),
});
