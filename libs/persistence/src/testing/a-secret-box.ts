import { randomBytes } from 'node:crypto';
import { DataKeys, DataKeyStore } from '../secrets/data-keys';
import { KeyRing, type KeyPurpose, type WrappedKey } from '../secrets/key-ring';
import { SecretBox } from '../secrets/secret-box';

/** Keeps data keys in memory, by the rules of the table. */
export class InMemoryDataKeyStore extends DataKeyStore {
  readonly keys: WrappedKey[] = [];

  async find(id: string): Promise<WrappedKey | null> {
    return this.keys.find((key) => key.id === id) ?? null;
  }

  async findOf(purpose: KeyPurpose, projectId: string | null): Promise<WrappedKey | null> {
    return this.keys.find((key) => key.purpose === purpose && key.projectId === projectId) ?? null;
  }

  async insert(key: WrappedKey): Promise<void> {
    const isKnown = this.keys.some(({ purpose, projectId }) => purpose === key.purpose && projectId === key.projectId);
    if (!isKnown) this.keys.push(key);
  }
}

/** A box with an encryption key and data keys of its own. */
export function aSecretBox(
  store: DataKeyStore = new InMemoryDataKeyStore(),
  ring = KeyRing.of({ encryptionKey: randomBytes(32) }),
): SecretBox {
  return new SecretBox(new DataKeys(store, ring), ring);
}
