import { createHmac, hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;
/** 128 bits: nobody guesses one, and who has one may answer. */
const ID_BYTES = 16;

/**
 * Names the requests of steps: the same for the same step and number, in whatever process, and unguessable without the
 * encryption key, of which the key used here is derived.
 */
export function requestIds(encryptionKey: Buffer): (stepKey: string, number: number) => string {
  const key = Buffer.from(hkdfSync('sha256', encryptionKey, '', 'millrace request ids', KEY_BYTES));
  return (stepKey, number) =>
    createHmac('sha256', key).update(`${stepKey}#${number}`).digest().subarray(0, ID_BYTES).toString('base64url');
}
