import { createHmac, hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;
/** An id has 128 bits, so it cannot be guessed: the id alone gives the right to answer the request. */
const ID_BYTES = 16;

/**
 * Returns a function that makes request ids. The id of a step key and number is the same in every process, and cannot
 * be guessed without the encryption key, from which the HMAC key is derived.
 */
export function requestIds(encryptionKey: Buffer): (stepKey: string, number: number) => string {
  const key = Buffer.from(hkdfSync('sha256', encryptionKey, '', 'millrace request ids', KEY_BYTES));
  return (stepKey, number) =>
    createHmac('sha256', key).update(`${stepKey}#${number}`).digest().subarray(0, ID_BYTES).toString('base64url');
}
