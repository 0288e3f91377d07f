import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';

// Random secrets that callers hold: API keys, refresh tokens and the tokens of invitations. Only their hashes are
// stored. A plain SHA-256 is enough because they are random.

const SECRET_BYTES = 32;

const newSecret = (prefix: string): string => `${prefix}-${randomBytes(SECRET_BYTES).toString('base64url')}`;

export const newApiKeySecret = (): string => newSecret('sk');
export const newInvitationToken = (): string => newSecret('inv');
export const newRefreshToken = (): string => newSecret('rt');

export const hashOfSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/**
 * Returns the refresh token that follows from another. It is always the same, so a client that repeats a refresh gets
 * the token that it has missed, and a session has one line of tokens however many tabs refresh it. Only the holder of
 * the token and of the signing secret can compute it.
 */
export function refreshTokenAfter(token: string, signingSecret: string): string {
  const key = Buffer.from(hkdfSync('sha256', signingSecret, '', 'refresh tokens', SECRET_BYTES));
  return `rt-${createHmac('sha256', key).update(token).digest('base64url')}`;
}
