import { createHmac, hkdfSync } from 'node:crypto';
import { decrypt, encrypt, KEY_BYTES } from './encryption';

/** What a data key is for. The last two sign links and make request ids; they encrypt nothing. */
export type KeyPurpose = 'secrets' | 'webhooks' | 'file links' | 'request ids';

/** A data key. A project has one for each purpose, and the installation has some (`projectId` is null). */
export interface DataKey {
  id: string;
  purpose: KeyPurpose;
  projectId: string | null;
  key: Buffer;
}

/** A data key as it is stored. `wrappedBy` is the fingerprint of the key that wrapped it. */
export interface WrappedKey extends Omit<DataKey, 'key'> {
  wrapped: Buffer;
  wrappedBy: string;
}

export interface EncryptionKeys {
  encryptionKey: Buffer;
  /** The key that was in force before a rotation. It opens and never seals. */
  previousKey?: Buffer | undefined;
}

interface WrappingKey {
  key: Buffer;
  fingerprint: string;
}

/** The data keys that an app without the encryption key may open. A key derived from the encryption key wraps them. */
const OF_WEBHOOKS: readonly KeyPurpose[] = ['webhooks', 'file links'];

/** Wraps data keys with the key of the installation, and unwraps them also with the previous one. */
export class KeyRing {
  private constructor(
    private readonly main: readonly WrappingKey[],
    private readonly webhooks: readonly WrappingKey[],
    /** The keys that opened the values of the first format, which no data key sealed. */
    readonly formerKeys: readonly Buffer[],
    /** The setting to name when a stored data key cannot be opened. */
    readonly setting: string,
  ) {}

  static of({ encryptionKey, previousKey }: EncryptionKeys): KeyRing {
    const keys = previousKey ? [encryptionKey, previousKey] : [encryptionKey];
    if (keys.some(({ length }) => length !== KEY_BYTES))
      throw new Error(`An encryption key must have ${KEY_BYTES} bytes.`);
    const webhooks = keys.map(webhookKeyOf).map(asWrappingKey);
    return new KeyRing(keys.map(asWrappingKey), webhooks, keys, 'SVC_ENCRYPTION_KEY');
  }

  wrap({ id, purpose, projectId, key }: DataKey): WrappedKey {
    const present = this.keysFor(purpose)[0];
    if (!present) throw new Error(`This app has no key that wraps data keys for ${purpose}.`);
    const wrapped = encrypt(present.key, key, contextOf({ id, purpose, projectId }));
    return { id, purpose, projectId, wrapped, wrappedBy: present.fingerprint };
  }

  /** Null when no key of this ring opens the data key. */
  unwrap({ id, purpose, projectId, wrapped, wrappedBy }: WrappedKey): DataKey | null {
    const wrapping = this.keysFor(purpose).find(({ fingerprint }) => fingerprint === wrappedBy);
    const key = wrapping && decrypt(wrapping.key, wrapped, contextOf({ id, purpose, projectId }));
    return key ? { id, purpose, projectId, key } : null;
  }

  /** Whether one of the keys wrapped what has this fingerprint. */
  opens(purpose: KeyPurpose, wrappedBy: string): boolean {
    return this.keysFor(purpose).some(({ fingerprint }) => fingerprint === wrappedBy);
  }

  /** The fingerprint of the key that wraps now; undefined when the ring has none for this purpose. */
  presentFingerprint(purpose: KeyPurpose): string | undefined {
    return this.keysFor(purpose)[0]?.fingerprint;
  }

  /** Whether the ring has any key for this purpose. The gateway has none for most. */
  serves(purpose: KeyPurpose): boolean {
    return this.keysFor(purpose).length > 0;
  }

  private keysFor(purpose: KeyPurpose): readonly WrappingKey[] {
    return OF_WEBHOOKS.includes(purpose) ? this.webhooks : this.main;
  }
}

/** Translates the names of the environment. */
export const keyRing = (env: {
  SVC_ENCRYPTION_KEY: Buffer;
  SVC_ENCRYPTION_PREVIOUS_KEY: Buffer | undefined;
}): KeyRing => KeyRing.of({ encryptionKey: env.SVC_ENCRYPTION_KEY, previousKey: env.SVC_ENCRYPTION_PREVIOUS_KEY });

/** The key that an app gets in place of the encryption key when it needs only what belongs to webhooks. */
export const webhookKeyOf = (encryptionKey: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', encryptionKey, '', 'millrace webhooks', KEY_BYTES));

const asWrappingKey = (key: Buffer): WrappingKey => ({ key, fingerprint: fingerprintOf(key) });

/** Names a key without revealing any part of it. */
const fingerprintOf = (key: Buffer): string =>
  createHmac('sha256', key).update('millrace key fingerprint').digest('hex').slice(0, 16);

const contextOf = ({ id, purpose, projectId }: Omit<DataKey, 'key'>): string =>
  JSON.stringify(['data_key', id, purpose, projectId]);
