import { hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;

/**
 * The gateway's key, in hexadecimal, that belongs to an encryption key. Undefined for what is no key: the api then says
 * so. `libs/domain/src/connections/webhook-key.ts` does the same.
 */
export function webhookKeyOf(encryptionKey) {
  const key = Buffer.from(encryptionKey, /^[0-9a-f]{64}$/i.test(encryptionKey) ? 'hex' : 'base64');
  if (key.length !== KEY_BYTES) return undefined;
  return Buffer.from(hkdfSync('sha256', key, '', 'millrace webhooks', KEY_BYTES)).toString('hex');
}
