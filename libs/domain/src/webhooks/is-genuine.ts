import { createHmac } from 'node:crypto';
import { isSameSecret, isSameSignature } from './constant-time';
import type { HmacEncoding, SenderCheck } from './sender-check';

// Decides whether a webhook comes from the sender that its flow expects.
//
// G1. Only the bytes of the body count; nothing is parsed before the decision.
// G2. A header that a check reads must be there exactly once. Two of them could be read differently by two readers.
// G3. Secrets and signatures are compared in constant time, as text. A signature in another spelling is refused, so
//     that each signature has one form.
// G4. A signed time must be less than 300 seconds away, in either direction.
// G5. The body is hashed once for each secret until one fits. So the time tells a genuine sender which secret it has
//     used, and nobody else anything.

/** The part of a request that proves its sender. */
export interface SignedRequest {
  /** Names and values in turns, as they arrived. */
  rawHeaders: readonly string[];
  rawBody: Uint8Array;
}

const REPLAY_WINDOW_MS = 300_000;

/** Whether the body is hashed, once for each secret, so that a large body takes long. */
export const hashesBody = (check: SenderCheck): boolean => 'secrets' in check;

export function isGenuine(check: SenderCheck, request: SignedRequest, now: Date): boolean {
  switch (check.authType) {
    case 'nothing':
      return false;
    case 'basic':
      return hasBasicCredentials(check, request);
    case 'header':
      return isSameSecret(soleHeader(request, check.headerName), check.headerValue);
    case 'hmac':
      return hasHmac(check, request);
    case 'standard_webhooks':
      return hasStandardSignature(check, request, now);
    case 'github':
      return hasHmac({ ...check, ...GITHUB }, request);
    case 'stripe':
      return hasStripeSignature(check, request, now);
    case 'slack':
      return hasSlackSignature(check, request, now);
  }
}

type CheckOf<Type> = Extract<SenderCheck, { authType: Type }>;
interface WithSecrets {
  secrets: readonly string[];
}

const GITHUB = { headerName: 'x-hub-signature-256', algorithm: 'sha256', encoding: 'hex', prefix: 'sha256=' } as const;

/** The value of a header that arrived exactly once; null otherwise. HTTP gives bytes, and secrets are UTF-8. */
function soleHeader({ rawHeaders }: SignedRequest, name: string): string | null {
  let value: string | null = null;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== name) continue;
    if (value !== null) return null;
    value = rawHeaders[at + 1] ?? '';
  }
  return value === null ? null : Buffer.from(value, 'latin1').toString('utf8');
}

/** The credentials are compared encoded, because several texts decode to the same credentials. */
function hasBasicCredentials({ username, password }: CheckOf<'basic'>, request: SignedRequest): boolean {
  const given = /^[Bb]asic (\S+)$/.exec(soleHeader(request, 'authorization') ?? '')?.[1];
  return isSameSecret(given ?? null, Buffer.from(`${username}:${password}`).toString('base64'));
}

/** Senders write the digits of a hexadecimal signature in either case, but in one case. */
function hasHmac(check: Omit<CheckOf<'hmac'>, 'authType'>, request: SignedRequest): boolean {
  const { algorithm, encoding, prefix, secrets } = check;
  const given = soleHeader(request, check.headerName);
  if (given === null) return false;
  return secrets.some((secret) => {
    const signature = hmac(algorithm, secret, encoding, request.rawBody);
    const isUpperCase = encoding === 'hex' && isSameSignature(given, prefix + signature.toUpperCase());
    return isSameSignature(given, prefix + signature) || isUpperCase;
  });
}

function hasStandardSignature({ secrets }: WithSecrets, request: SignedRequest, now: Date): boolean {
  const id = soleHeader(request, 'webhook-id');
  const time = soleHeader(request, 'webhook-timestamp');
  const given = soleHeader(request, 'webhook-signature');
  const signatures = given?.split(' ') ?? [];
  if (!id || !signatures.every((each) => /^v\w+,\S+$/.test(each)) || !isRecent(time, now)) return false;
  return secrets.some((secret) => {
    const key = keyOfStandardSecret(secret);
    const signature = `v1,${hmac('sha256', key, 'base64', `${id}.${time}.`, request.rawBody)}`;
    return key.length > 0 && isAmong(signatures, signature);
  });
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const PREFIX = 'whsec_';

/** Whether the key can be read: after the prefix `whsec_` comes base64. Any other text is a key as it is. */
export const isStandardSecret = (secret: string): boolean =>
  !secret.startsWith(PREFIX) || (secret.length > PREFIX.length && BASE64.test(secret.slice(PREFIX.length)));

/** The specification encodes keys in base64, after the prefix `whsec_`. Any other text is a key as it is. */
function keyOfStandardSecret(secret: string): Buffer {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
  return Buffer.from(text, BASE64.test(text) ? 'base64' : 'utf8');
}

/** The header is a list such as `t=1492774577,v1=5257a869…`, with a signature for each secret of the sender. */
function hasStripeSignature({ secrets }: WithSecrets, request: SignedRequest, now: Date): boolean {
  const items = (soleHeader(request, 'stripe-signature') ?? '').split(',');
  if (!items.every((item) => /^[a-z]\w*=\w*$/.test(item))) return false;
  const valuesOf = (key: string): string[] =>
    items.filter((item) => item.startsWith(key)).map((item) => item.slice(key.length));
  const [time, ...otherTimes] = valuesOf('t=');
  if (otherTimes.length > 0 || !isRecent(time, now)) return false;
  const signatures = valuesOf('v1=');
  return secrets.some((secret) => {
    const signature = hmac('sha256', secret, 'hex', `${time}.`, request.rawBody);
    return isAmong(signatures, signature);
  });
}

function hasSlackSignature({ secrets }: WithSecrets, request: SignedRequest, now: Date): boolean {
  const given = soleHeader(request, 'x-slack-signature');
  const time = soleHeader(request, 'x-slack-request-timestamp');
  if (given === null || !isRecent(time, now)) return false;
  return secrets.some((secret) =>
    isSameSignature(given, `v0=${hmac('sha256', secret, 'hex', `v0:${time}:`, request.rawBody)}`),
  );
}

/** Whether a time in whole seconds since 1970 is within the replay window. */
function isRecent(seconds: string | null | undefined, now: Date): boolean {
  if (!seconds || !/^[1-9]\d{0,14}$/.test(seconds)) return false;
  return Math.abs(now.getTime() - Number(seconds) * 1_000) <= REPLAY_WINDOW_MS;
}

function hmac(
  algorithm: string,
  key: string | Buffer,
  encoding: HmacEncoding,
  ...parts: (string | Uint8Array)[]
): string {
  const hash = createHmac(algorithm, key);
  for (const part of parts) hash.update(part);
  return hash.digest(encoding);
}

/** Compares with every signature, so that the time does not tell which one matched. */
const isAmong = (signatures: readonly string[], expected: string): boolean =>
  signatures.filter((each) => isSameSignature(each, expected)).length > 0;
