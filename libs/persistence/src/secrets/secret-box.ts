import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

// A secret at rest consists of a version byte, the nonce, the tag, and the text encrypted by AES-256-GCM.

const VERSION = 1;
const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/** Seals texts with the key of the installation. A sealed text opens only with the same key and the same context. */
export class SecretBox {
  constructor(private readonly key: Buffer) {
    if (key.length !== KEY_BYTES) throw new Error(`The encryption key must have ${KEY_BYTES} bytes.`);
  }

  /** `context` names the owner of the text, so that the sealed bytes do not open for another owner. */
  seal(text: string, context: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed]);
  }

  /** Returns the text. Throws when the bytes were changed, or sealed with another key or for another context. */
  open(bytes: Buffer, context: string): string {
    if (bytes[0] !== VERSION || bytes.length < HEAD_BYTES) throw new Error('The stored bytes are not a sealed secret.');
    const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, this.key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(bytes.subarray(1 + NONCE_BYTES, HEAD_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES)), decipher.final()]).toString('utf8');
  }
}
