import { randomBytes } from 'node:crypto';
import { UnreadableSecretError, WrongSettingError } from '@millrace/domain';
import { LRUCache } from 'lru-cache';
import { newId } from '../postgres/new-id';
import { KEY_BYTES } from './encryption';
import { KeyRing, type DataKey, type KeyPurpose, type KeySettings, type WrappedKey } from './key-ring';

// K1. A data key never changes. A rotation of the encryption key changes only how it is wrapped, so an opened key may be
//     cached for as long as the process lives.
// K2. A data key is committed before anything is sealed with it.
// K3. A data key whose bytes were changed or moved makes only what it sealed unreadable. The setting of the encryption
//     key is wrong only when another key wrapped the data key.

const MOST_KEYS = 20_000;

/** Where data keys are kept, wrapped. */
export abstract class DataKeyStore {
  abstract find(id: string): Promise<WrappedKey | null>;
  abstract findOf(purpose: KeyPurpose, projectId: string | null): Promise<WrappedKey | null>;
  /** Changes nothing when the owner has a key for this purpose already. */
  abstract insert(key: WrappedKey): Promise<void>;
}

/** Finds data keys, opened, and makes those that are missing. Throws UnreadableSecretError and WrongEncryptionKeyError. */
export class DataKeys {
  private readonly byId = new LRUCache<string, DataKey>({ max: MOST_KEYS });
  private readonly byOwner = new LRUCache<string, DataKey>({ max: MOST_KEYS });
  /** The look-ups under way, so that many callers cost one query. */
  private readonly pending = new Map<string, Promise<DataKey | null>>();

  constructor(
    private readonly store: DataKeyStore,
    private readonly ring: KeyRing,
  ) {}

  /** Null when there is no such key. */
  async find(id: string): Promise<DataKey | null> {
    return this.byId.get(id) ?? this.lookUp(id, async () => this.opened(await this.store.find(id)));
  }

  /** Null when the owner has no key for this purpose yet. */
  async findOf(purpose: KeyPurpose, projectId: string | null): Promise<DataKey | null> {
    const owner = ownerOf(purpose, projectId);
    return (
      this.byOwner.get(owner) ??
      this.lookUp(owner, async () => this.opened(await this.store.findOf(purpose, projectId)))
    );
  }

  /** The key of the owner, which is made when it is missing; `material` is then its content. */
  async of(purpose: KeyPurpose, projectId: string | null, material = randomBytes(KEY_BYTES)): Promise<DataKey> {
    const known = await this.findOf(purpose, projectId);
    if (known) return known;
    await this.store.insert(this.ring.wrap({ id: newId(), purpose, projectId, key: material }));
    // A look-up that others began before the insertion would find nothing.
    const made = this.opened(await this.store.findOf(purpose, projectId));
    if (!made) throw new Error('A data key that was just inserted cannot be found.');
    return made;
  }

  private async lookUp(name: string, find: () => Promise<DataKey | null>): Promise<DataKey | null> {
    const found = this.pending.get(name) ?? find().finally(() => this.pending.delete(name));
    this.pending.set(name, found);
    return found;
  }

  private opened(stored: WrappedKey | null): DataKey | null {
    if (!stored) return null;
    const key = this.ring.unwrap(stored);
    if (!key) throw this.cannotOpen(stored);
    this.byId.set(key.id, key);
    this.byOwner.set(ownerOf(key.purpose, key.projectId), key);
    return key;
  }

  /** K3 is kept here. */
  private cannotOpen({ id, purpose, wrappedBy }: WrappedKey): Error {
    return this.ring.opens(purpose, wrappedBy)
      ? new UnreadableSecretError(`the data key ${id}`)
      : new WrongEncryptionKeyError(this.ring.settings);
  }
}

/** Thrown when the keys of this process do not open a data key that the database holds. */
export class WrongEncryptionKeyError extends WrongSettingError {
  constructor({ present, previous }: KeySettings) {
    super(
      `${present} is wrong: it does not open the data keys in the database. ${CORRECTION[present]} ` +
        `After a change of keys, set the old one as ${previous}.`,
    );
  }
}

const CORRECTION: Readonly<Record<KeySettings['present'], string>> = {
  SVC_ENCRYPTION_KEY: 'Set the key that sealed them (`npm start` has it in credentials.json, unless it is set).',
  SVC_WEBHOOK_KEY: 'Set what `webhook-key` of the api prints for its SVC_ENCRYPTION_KEY.',
};

const ownerOf = (purpose: KeyPurpose, projectId: string | null): string => `${purpose} ${projectId ?? ''}`;
