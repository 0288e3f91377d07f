import { packageSignIn } from './package-auth';
import { readPublishedPiece } from './published-piece';

const signInOf = (...auth: object[]) => packageSignIn(readPublishedPiece('piece', { auth }).auths);
const OAUTH2 = {
  type: 'OAUTH2',
  displayName: 'Sign in',
  authUrl: 'https://id.test/auth',
  tokenUrl: 'https://id.test/token',
};

describe('the sign-in of a package', () => {
  it('asks for consent, by the usual grant and without PKCE, unless it says otherwise', () => {
    expect(signInOf({ type: 'SECRET_TEXT' }, OAUTH2)).toEqual({
      authorizationUrl: 'https://id.test/auth',
      tokenUrl: 'https://id.test/token',
      scopes: [],
      grantTypes: ['authorization_code'],
      clientAuthentication: 'BODY',
      pkce: null,
      prompt: 'consent',
      extra: {},
      props: {},
      inputs: {},
    });
  });

  it('has what the package says', () => {
    const found = signInOf({
      ...{ ...OAUTH2, scope: ['a', 'b'], prompt: 'omit', pkce: true, pkceMethod: 'S256', extra: { audience: 'api' } },
      ...{ authorizationMethod: 'HEADER', grantType: 'both_client_credentials_and_authorization_code' },
      props: {
        info: { type: 'MARKDOWN', displayName: 'Info' },
        shop: { type: 'SHORT_TEXT', displayName: 'Shop', required: true },
        zone: {
          ...{ type: 'STATIC_DROPDOWN', displayName: 'Zone', required: true, defaultValue: 'eu' },
          options: { options: [{ label: 'Europe', value: 'eu' }] },
        },
      },
    });

    expect(found).toMatchObject({
      ...{ scopes: ['a', 'b'], prompt: null, pkce: 'S256', extra: { audience: 'api' }, clientAuthentication: 'HEADER' },
      grantTypes: ['authorization_code', 'client_credentials'],
      props: { shop: { required: true }, zone: { required: true, defaultValue: 'eu', choices: ['eu'] } },
      inputs: { shop: { kind: 'text' }, zone: { kind: 'dropdown' } },
    });
    expect(signInOf({ ...OAUTH2, pkce: true })).toMatchObject({ pkce: 'plain' });
  });

  it('is none where the package names no endpoint for tokens', () => {
    expect(signInOf({ type: 'OAUTH2' })).toBeNull();
    expect(signInOf({ type: 'SECRET_TEXT' })).toBeNull();
  });
});
