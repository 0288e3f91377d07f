import { createHmac, generateKeyPairSync } from 'node:crypto';

// Access tokens that must be refused. Each has only one mistake, and is otherwise like a token of the service.

type Claims = Record<string, unknown>;

/** Returns the token of each placeholder. `good` is a token that the service has issued. */
export function badTokens(good: string, secret: string, runId: string): Map<string, string> {
  const [header, claims] = partsOf(good);
  const now = Math.floor(Date.now() / 1000);
  const sign = (more: Claims, moreHeader: Claims = {}) => signed({ ...header, ...moreHeader }, more, secret);
  const { exp: _exp, ...withoutExp } = claims;
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const unsigned = (alg: string) => `${encoded({ ...header, alg })}.${encoded(claims)}.`;
  return new Map([
    ['jwt_alg_none', unsigned('none')],
    ['jwt_alg_NoNe', unsigned('NoNe')],
    [
      'jwt_hs256_signed_with_public_key',
      signed(header, claims, publicKey.export({ type: 'spki', format: 'pem' }).toString()),
    ],
    ['jwt_payload_tampered', tampered(good)],
    ['jwt_expired', sign({ ...claims, iat: now - 120, exp: now - 60 })],
    ['jwt_nbf_future', sign({ ...claims, nbf: now + 3_600 })],
    ['jwt_without_exp', sign(withoutExp)],
    ['jwt_wrong_issuer', sign({ ...claims, iss: 'another' })],
    ['jwt_wrong_audience', sign({ ...claims, aud: 'another' })],
    ['jwt_kid_../../dev/null', signed({ ...header, kid: '../../dev/null' }, claims, '')],
    ["jwt_kid_' UNION SELECT 'k", signed({ ...header, kid: "' UNION SELECT 'k" }, claims, 'k')],
    ['jwt_embedded_jwk', sign(claims, { jwk: { kty: 'oct', k: Buffer.from(secret).toString('base64url') } })],
    ['jwt_crit_unknown', sign(claims, { crit: ['x'], x: 1 })],
    ['jwt_header_payload_dot', `${good.split('.').slice(0, 2).join('.')}.`],
    ['engine_token_of_other_run', sign({ ...claims, aud: 'millrace-engine', sub: runId })],
  ]);
}

/** Returns a token that names a URL for its key. */
export function tokenWithKeyUrl(good: string, secret: string, url: string): string {
  const [header, claims] = partsOf(good);
  return signed({ ...header, jku: url }, claims, secret);
}

/**
 * Returns a valid token that the test has signed. The service accepts it, so it refuses the bad tokens for their
 * mistake.
 */
export function resigned(good: string, secret: string): string {
  return signed(...partsOf(good), secret);
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function signed(header: Claims, claims: Claims, secret: string): string {
  const text = `${encoded(header)}.${encoded(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

function partsOf(token: string): [header: Claims, claims: Claims] {
  const [header = '', claims = ''] = token.split('.');
  const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Claims;
  return [decoded(header), decoded(claims)];
}

function tampered(token: string): string {
  const [header, claims] = partsOf(token);
  return [encoded(header), encoded({ ...claims, platformRole: 'ADMIN' }), token.split('.')[2]].join('.');
}
