import { createHash, randomBytes } from 'node:crypto';

export const newApiKeySecret = (): string => `sk-${randomBytes(32).toString('base64url')}`;

/** A key is random enough that its plain SHA-256 can be looked up. */
export const hashOfApiKey = (secret: string): string => createHash('sha256').update(secret).digest('hex');
