import { createHash, randomBytes } from 'node:crypto';

export const newApiKeySecret = (): string => `sk-${randomBytes(32).toString('base64url')}`;

/** Hashes a key for its look-up. A plain SHA-256 is enough because keys are random. */
export const hashOfApiKey = (secret: string): string => createHash('sha256').update(secret).digest('hex');
