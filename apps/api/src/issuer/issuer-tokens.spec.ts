import { HandDrivenClock } from '@millrace/domain/testing';
import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';
import { IssuerTokens } from './issuer-tokens';

const trusted = { issuer: 'https://id.example', audience: 'https://flows.example' };
const clock = new HandDrivenClock(new Date('2026-01-01T12:00:00.000Z'));
const now = clock.now().getTime() / 1_000;
const claims: JWTPayload = { iss: trusted.issuer, aud: trusted.audience, sub: '7', exp: now + 60 };

describe('IssuerTokens', () => {
  let own: CryptoKey;
  let tokens: IssuerTokens;

  beforeAll(async () => {
    const pair = await generateKeyPair('ES256');
    own = pair.privateKey;
    const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256' };
    tokens = new IssuerTokens(trusted, createLocalJWKSet({ keys: [jwk] }), clock);
  });

  const sign = (more: JWTPayload = {}, header: object = {}, key: CryptoKey | Uint8Array = own) =>
    new SignJWT({ ...claims, ...more }).setProtectedHeader({ alg: 'ES256', kid: 'one', ...header }).sign(key);
  const refusal = (message: string) => ({
    code: 'INVALID_BEARER_TOKEN',
    message: expect.stringContaining(message) as string,
  });
  const unsigned = (header: object): string =>
    [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.') + '.';

  it('tells whose token it is', async () => {
    const identity = { issuer: trusted.issuer, subject: '7' };
    expect(await tokens.verify(await sign())).toEqual({ identity, verifiedEmail: null });
    const email = 'ada@example.com';
    const audiences = { aud: ['https://other.example', trusted.audience] };
    expect(await tokens.verify(await sign({ ...audiences, email, email_verified: true }, { typ: 'at+jwt' }))).toEqual({
      identity,
      verifiedEmail: email,
    });
  });

  it.each([
    ['is not verified', { email_verified: false }],
    ['is verified by a word', { email_verified: 'true' }],
    ['is not said to be verified', {}],
    ['has letters that change with case to ASCII', { email: '\u212Aate@example.com', email_verified: true }],
    ['is no text', { email: ['a@example.com'], email_verified: true }],
  ])('believes no address that %s', async (_what, more) => {
    const token = await sign({ email: 'ada@example.com', ...more });
    expect(await tokens.verify(token)).toMatchObject({ verifiedEmail: null });
  });

  it.each([
    ['has expired', { exp: now - 11 }, 'expired'],
    ['never expires', { exp: undefined }, '"exp"'],
    ['is not valid yet', { nbf: now + 60 }, '"nbf"'],
    ['is for another audience', { aud: 'https://other.example' }, 'audience'],
    ['is for no audience', { aud: undefined }, 'audience'],
    ['has no subject', { sub: undefined }, '"sub"'],
    ['has a subject of 300 characters', { sub: 'x'.repeat(300) }, 'subject'],
    ['has a subject with control characters', { sub: 'a\0b' }, 'subject'],
    ['is bound to a key of its client', { cnf: { jkt: 'x' } }, 'bound to a key'],
  ])('refuses a token that %s', async (_what, more, message) => {
    await expect(tokens.verify(await sign(more))).rejects.toMatchObject(refusal(message));
  });

  it('refuses a token of another issuer without looking for its key', async () => {
    const findKey = jest.fn();
    const other = new IssuerTokens(trusted, findKey, clock);
    for (const token of [
      await sign({ iss: 'https://id.example/' }),
      'nonsense',
      '',
      'a.b.c',
      await sign({ x: 'x'.repeat(9_000) }),
    ]) {
      expect(other.namesIssuer(token)).toBe(false);
      await expect(other.verify(token)).rejects.toMatchObject({ code: 'INVALID_BEARER_TOKEN' });
    }
    expect(findKey).not.toHaveBeenCalled();
  });

  it('takes none while no issuer is configured', async () => {
    expect(new IssuerTokens(null, jest.fn(), clock).namesIssuer(await sign())).toBe(false);
  });

  it.each([
    ['a key of another', async () => sign({}, {}, (await generateKeyPair('ES256')).privateKey), 'signature'],
    ['a key the issuer does not have', () => sign({}, { kid: 'two' }), 'names no key'],
    ['a shared secret', () => sign({}, { alg: 'HS256' }, new Uint8Array(32)), 'malformed'],
    ['nothing', () => Promise.resolve(unsigned({ alg: 'none' })), 'malformed'],
    ['the type of a logout token', () => sign({}, { typ: 'logout+jwt' }), 'no access token'],
    [
      'a header that must be understood',
      () => Promise.resolve(unsigned({ alg: 'ES256', crit: ['x'], x: 1 })),
      'malformed',
    ],
  ])('refuses a token that is signed with %s', async (_what, make, message) => {
    await expect(tokens.verify(await make())).rejects.toMatchObject(refusal(message));
  });
});
