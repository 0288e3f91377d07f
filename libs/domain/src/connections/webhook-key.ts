import { hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;

/**
 * The key that an app gets in place of the encryption key when it needs only what belongs to webhooks. Nobody can compute
 * the encryption key from it. `tools/start/webhook-key.mjs` does the same for the launcher.
 */
export const webhookKeyOf = (encryptionKey: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', encryptionKey, '', 'millrace webhooks', KEY_BYTES));
