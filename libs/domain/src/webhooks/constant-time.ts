import { createHash, timingSafeEqual } from 'node:crypto';

// Comparisons whose time does not tell where two texts differ.

/** Compares hashes, because the time must not tell the length of a secret either. */
export function isSameSecret(given: string | null, expected: string): boolean {
  return given !== null && timingSafeEqual(hashOf(given), hashOf(expected));
}

/** Compares signatures. Everybody knows the length of a signature. */
export function isSameSignature(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
