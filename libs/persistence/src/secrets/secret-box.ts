import { ServiceUnavailableError, UnreadableSecretError } from '@millrace/domain';
import { DataKeys } from './data-keys';
import { decrypt, encrypt } from './encryption';
import type { DataKey, KeyPurpose, KeyRing } from './key-ring';

// A secret at rest begins with a version byte. In the format 2 follow the id of the data key that sealed it and the
// encrypted text, which is bound to its table, row and project. In the format 1, which is only read, the encryption key
// itself sealed the text.

const FORMER_VERSION = 1;
const VERSION = 2;
const KEY_ID_BYTES = 16;
const HEAD_BYTES = 1 + KEY_ID_BYTES;

/** Where a secret is stored. The sealed bytes do not open at another place. */
export interface SecretPlace {
  /** What the secret is, for error messages, as in `the value of the connection crm`. */
  name: string;
  table: string;
  /** The columns that name the row. */
  row: readonly string[];
  /** Null for what belongs to no project. */
  projectId: string | null;
  purpose: KeyPurpose;
  /** What the format 1 was bound to. */
  formerContext: string;
}

/** Seals texts for the place where they are stored, each with the data key of its project. */
export class SecretBox {
  constructor(
    private readonly keys: DataKeys,
    private readonly ring: KeyRing,
  ) {}

  /** Loads the data key of the owner, or makes it, so that sealing and opening with it need no database any more. */
  async prepare(purpose: KeyPurpose, projectId: string | null): Promise<void> {
    await this.keys.of(purpose, projectId);
  }

  async seal(text: string, place: SecretPlace): Promise<Buffer> {
    const { id, key } = await this.keys.of(place.purpose, place.projectId);
    return Buffer.concat([Buffer.of(VERSION), bytesOfId(id), encrypt(key, Buffer.from(text), contextOf(place))]);
  }

  /**
   * Throws UnreadableSecretError when the bytes were changed or moved here, and WrongEncryptionKeyError. In the gateway
   * it throws ServiceUnavailableError for the format 1, which the api replaces at its start.
   */
  async open(bytes: Buffer, place: SecretPlace): Promise<string> {
    const plain = isFormer(bytes) ? this.openFormer(bytes, place) : await this.openPresent(bytes, place);
    if (!plain) throw new UnreadableSecretError(place.name);
    return plain.toString('utf8');
  }

  private openFormer(bytes: Buffer, place: SecretPlace): Buffer | null {
    if (this.ring.formerKeys.length === 0)
      throw new ServiceUnavailableError(`The api has not sealed ${place.name} for the gateway yet.`);
    for (const key of this.ring.formerKeys) {
      const plain = decrypt(key, bytes.subarray(1), place.formerContext);
      if (plain) return plain;
    }
    return null;
  }

  private async openPresent(bytes: Buffer, place: SecretPlace): Promise<Buffer | null> {
    if (bytes[0] !== VERSION || bytes.length < HEAD_BYTES) return null;
    const key = await this.keys.find(idOfBytes(bytes.subarray(1, HEAD_BYTES)));
    if (!key || !isFor(place, key)) return null;
    return decrypt(key.key, bytes.subarray(HEAD_BYTES), contextOf(place));
  }
}

/** Whether the bytes have the format in which the encryption key itself sealed them. */
export const isFormer = (bytes: Buffer): boolean => bytes[0] === FORMER_VERSION;

const isFor = ({ purpose, projectId }: SecretPlace, key: DataKey): boolean =>
  key.purpose === purpose && key.projectId === projectId;

const bytesOfId = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

const idOfBytes = (bytes: Buffer): string =>
  bytes
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, (_, ...parts: string[]) => `${parts.slice(0, 4).join('-')}-`);

const contextOf = ({ table, row, projectId }: SecretPlace): string => JSON.stringify([table, ...row, projectId]);
