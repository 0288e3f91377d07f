import type { User } from '@millrace/domain';
import { JwtService } from '@nestjs/jwt';
import { KeyObject } from 'node:crypto';
import { AccessTokens } from './access-tokens';

const user: User = {
  id: 'user_1',
  email: 'a@b.c',
  firstName: 'A',
  lastName: 'B',
  platformRole: 'MEMBER',
  passwordHash: '',
  created: new Date(0),
};
const old = new AccessTokens(new JwtService(), {
  SVC_JWT_SECRET: 'the-old-secret-of-32-characters-x',
  SVC_JWT_PREVIOUS_SECRET: undefined,
});
const rotated = new AccessTokens(new JwtService(), {
  SVC_JWT_SECRET: 'the-new-secret-of-32-characters-x',
  SVC_JWT_PREVIOUS_SECRET: 'the-old-secret-of-32-characters-x',
});
/** The text of a secret that is a key object, and null for anything else. */
const textOf = (secret: unknown): string | null => (secret instanceof KeyObject ? secret.export().toString() : null);
const withHeader = (header: object): string => `${Buffer.from(JSON.stringify(header)).toString('base64url')}.e30.x`;

describe('AccessTokens', () => {
  it('issues tokens for 15 minutes, by us, for our interface', async () => {
    const claims = new JwtService().decode<Record<string, unknown>>(await rotated.issue(user));
    expect(claims).toMatchObject({ sub: 'user_1', iss: 'millrace', aud: 'millrace-api' });
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(900);
  });

  it('finds the secret of tokens from before a rotation, and of those after it', async () => {
    expect(textOf(rotated.secretOf(await old.issue(user)))).toBe('the-old-secret-of-32-characters-x');
    expect(textOf(rotated.secretOf(await rotated.issue(user)))).toBe('the-new-secret-of-32-characters-x');
  });

  it('knows no secret of a token that another installation signed', async () => {
    expect(old.secretOf(await rotated.issue(user))).toBeNull();
  });

  it.each([
    { alg: 'none' },
    { alg: 'HS512' },
    { alg: 'HS256' },
    { alg: 'HS256', kid: '../x' },
    { alg: 'HS256', crit: ['b64'] },
  ])('knows no secret for the header %j', (header) => expect(rotated.secretOf(withHeader(header))).toBeNull());
});
