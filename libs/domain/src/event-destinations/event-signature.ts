import { createHmac, randomBytes } from 'node:crypto';

// The signature of Standard Webhooks 1.0: HMAC-SHA256 over the id, the time in seconds and the body, joined by dots.

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export const newEventSecret = (): string => `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

/** Returns the headers that name and sign the event. */
export function signedHeaders(secret: string, eventId: string, body: string, now: Date): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${eventId}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': eventId, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
