import { createHmac } from 'node:crypto';
import { webhookKeyOf } from '@millrace/domain';
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

/** The names of the settings with the keys of a ring. */
export interface KeySettings {
  present: 'SVC_ENCRYPTION_KEY' | 'SVC_WEBHOOK_KEY';
  previous: 'SVC_ENCRYPTION_PREVIOUS_KEY' | 'SVC_WEBHOOK_PREVIOUS_KEY';
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

export interface WebhookKeys {
  webhookKey: Buffer;
  previousKey?: Buffer | undefined;
}

/** The data keys that the gateway may open. A key derived from the encryption key wraps them. */
const OF_WEBHOOKS: readonly KeyPurpose[] = ['webhooks', 'file links'];

/** Wraps data keys with the key of the installation, and unwraps them also with the previous one. */
export class KeyRing {
  private constructor(
    private readonly main: readonly WrappingKey[],
    private readonly webhooks: readonly WrappingKey[],
    /** The keys that opened the values of the first format, which no data key sealed. */
    readonly formerKeys: readonly Buffer[],
    /** The settings to name when a stored data key cannot be opened. */
    readonly settings: KeySettings,
  ) {}

  static of({ encryptionKey, previousKey }: EncryptionKeys): KeyRing {
    const keys = checked(encryptionKey, previousKey);
    return new KeyRing(keys.map(asWrappingKey), keys.map(webhookKeyOf).map(asWrappingKey), keys, {
      present: 'SVC_ENCRYPTION_KEY',
      previous: 'SVC_ENCRYPTION_PREVIOUS_KEY',
    });
  }

  /** The ring of the gateway, which opens only what belongs to webhooks. */
  static ofWebhooks({ webhookKey, previousKey }: WebhookKeys): KeyRing {
    return new KeyRing([], checked(webhookKey, previousKey).map(asWrappingKey), [], {
      present: 'SVC_WEBHOOK_KEY',
      previous: 'SVC_WEBHOOK_PREVIOUS_KEY',
    });
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

/** Translates the names of the gateway's environment. */
export const webhookKeyRing = (env: {
  SVC_WEBHOOK_KEY: Buffer;
  SVC_WEBHOOK_PREVIOUS_KEY: Buffer | undefined;
}): KeyRing => KeyRing.ofWebhooks({ webhookKey: env.SVC_WEBHOOK_KEY, previousKey: env.SVC_WEBHOOK_PREVIOUS_KEY });

function checked(present: Buffer, previous: Buffer | undefined): Buffer[] {
  const keys = previous ? [present, previous] : [present];
  if (keys.some(({ length }) => length !== KEY_BYTES))
    throw new Error(`An encryption key must have ${KEY_BYTES} bytes.`);
  return keys;
}

const asWrappingKey = (key: Buffer): WrappingKey => ({ key, fingerprint: fingerprintOf(key) });

/** Names a key without revealing any part of it. */
const fingerprintOf = (key: Buffer): string =>
  createHmac('sha256', key).update('millrace key fingerprint').digest('hex').slice(0, 16);

const contextOf = ({ id, purpose, projectId }: Omit<DataKey, 'key'>): string =>
  JSON.stringify(['data_key', id, purpose, projectId]);
