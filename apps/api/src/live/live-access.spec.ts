import { AuthorizationError, InvalidBearerTokenError, ServiceUnavailableError, type Principal } from '@millrace/domain';
import { aPrincipal } from '@millrace/domain/testing';
import type { AccessTokens } from '../auth/access-tokens';
import type { Principals } from '../auth/principals';
import type { ProjectAccess } from '../auth/project-access';
import type { IssuerUsers } from '../issuer/issuer-users';
import { LiveAccess, type LiveSession } from './live-access';

describe('LiveAccess', () => {
  const [ann, bot] = [aPrincipal({ p: 'VIEWER' }), aPrincipal({ p: 'EDITOR' })];
  const tokens = {
    userOf: (token: string) =>
      token === 'expired' ? Promise.reject(new InvalidBearerTokenError()) : Promise.resolve(`user of ${token}`),
  };
  const issuerUsers = {
    decidesOn: (token: string) => token.startsWith('issued'),
    userOf: (token: string) =>
      token === 'issued now'
        ? Promise.resolve({ id: 'user of ann' })
        : Promise.reject(new ServiceUnavailableError('The keys of the issuer cannot be read.')),
  };
  const ofAll = jest.fn(() =>
    Promise.resolve({ bySecret: new Map([['sk-bot', bot]]), byUser: new Map([['user of ann', ann]]) }),
  );
  const refusalsOf = jest.fn((uses: readonly { principal: Principal; projectId: string }[]) =>
    Promise.resolve(uses.map(({ projectId }) => (projectId === 'p' ? null : new AuthorizationError(projectId)))),
  );
  const access = new LiveAccess(
    tokens as unknown as AccessTokens,
    { ofAll } as unknown as Principals,
    { refusalsOf } as unknown as ProjectAccess,
    issuerUsers as unknown as IssuerUsers,
  );
  const before = aPrincipal({ p: 'ADMIN' });
  const aSession = (token: string, projectId = 'p'): LiveSession => ({ token, projectId, principal: before });

  it('checks many sessions together, and says why some do not hold any more', async () => {
    const held = [aSession('ann'), aSession('sk-bot'), aSession('issued now')];
    const unknown = aSession('issued by who is away');
    const gone = [aSession('sk-revoked'), aSession('expired'), aSession('deleted'), aSession('ann', 'other')];

    const refused = await access.checkAll([...held, unknown, ...gone]);

    expect([...refused].map(([{ token }, { code }]) => [token, code])).toEqual([
      ['sk-revoked', 'INVALID_API_KEY'],
      ['expired', 'INVALID_BEARER_TOKEN'],
      ['deleted', 'AUTHENTICATION'],
      ['ann', 'AUTHORIZATION'],
    ]);
    expect(held.map(({ principal }) => principal)).toEqual([ann, bot, ann]);
    expect([unknown, ...gone].every(({ principal }) => principal === before)).toBe(true);
    expect(ofAll.mock.calls).toEqual([
      [
        ['sk-bot', 'sk-revoked'],
        ['user of ann', 'user of deleted'],
      ],
    ]);
    expect(refusalsOf).toHaveBeenCalledTimes(1);
  });
});
