import { authorizationUrl, signInParameters } from './authorization-url';
import { readAs } from './connection';
import { hasExpired, isDueForRefresh, type OAuth2Value } from './oauth2-value';

const MINUTE = 60_000;
const tokens = (minutes: number | null) => ({
  access_token: 'a',
  refresh_token: null,
  obtained_at: 0,
  expires_at: minutes === null ? null : minutes * MINUTE,
});
const aValue = (given: Partial<OAuth2Value>): OAuth2Value => ({
  ...{ type: 'OAUTH2', client_id: 'c', client_secret: 's', authorization_url: null, token_url: 'https://id.test' },
  ...{ scope: 'chat read', redirect_url: null, grant_type: 'authorization_code', authorization_method: 'BODY' },
  ...tokens(60),
  ...given,
});
const at = (minutes: number) => new Date(minutes * MINUTE);

describe('an access token', () => {
  it.each([
    [60, 44.9, false],
    [60, 45, true],
    [20, 9.9, false],
    [20, 10, true],
    [null, 10_000, false],
  ])('that lives %p minutes is due for refresh after %p minutes: %p', (lives, after, due) => {
    expect(isDueForRefresh(aValue(tokens(lives)), at(after))).toBe(due);
  });

  it.each([
    ['a refresh token', { refresh_token: 'r' }],
    ['the credentials of the client', { grant_type: 'client_credentials' as const }],
  ])('whose life nobody told is taken to live an hour where %s can get the next', (_, means) => {
    const value = aValue({ ...tokens(null), ...means });

    expect([44.9, 45].map((minutes) => isDueForRefresh(value, at(minutes)))).toEqual([false, true]);
    expect(hasExpired(value, at(1e6))).toBe(false);
  });

  it('has expired at its end, and never when it has none', () => {
    expect([59, 60].map((minutes) => hasExpired(tokens(60), at(minutes)))).toEqual([false, true]);
    expect(hasExpired(tokens(null), at(1e6))).toBe(false);
  });
});

describe('a connection by OAuth 2.0, as it is read', () => {
  const value = aValue({ refresh_token: 'r', obtained_at: 1_500 });

  it('has what the provider told and what the piece asked for, and no means to refresh', () => {
    const answered = { token_type: 'bot', granted_scope: 'chat', data: { team: { id: 'T1' } } };
    const told = { ...answered, props: { shop: 'x' }, signed_in_to: 'shops' };

    expect(readAs({ ...value, ...told })).toEqual({
      ...{ access_token: 'a', token_type: 'bot', scope: 'chat', client_id: 'c', claimed_at: 1, expires_in: 3599 },
      ...{ data: { team: { id: 'T1' } }, props: { shop: 'x' }, signed_in_to: 'shops' },
    });
    expect(readAs({ ...value, data: {}, expires_at: null })).toEqual({
      ...{ access_token: 'a', scope: 'chat read', client_id: 'c', claimed_at: 1, data: {}, props: {} },
    });
  });

  it('cannot be made up as another type of connection', () => {
    const props = { access_token: 'a', data: { team: { id: 'T2' } }, signed_in_to: 'shops' };

    expect(readAs({ type: 'CUSTOM_AUTH', props })).toEqual({ access_token: 'a', data: { team: { id: 'T2' } } });
  });

  it('is the access token alone where nothing else was kept', () => {
    expect(readAs(value)).toEqual({ access_token: 'a' });
  });
});

describe('authorizationUrl', () => {
  it('asks for a code with state and the S256 challenge of RFC 7636, and keeps the parameters of the endpoint', () => {
    const request = {
      authorizationUrl: 'https://id.example/auth?access_type=offline&state=theirs',
      clientId: 'c',
      redirectUrl: 'https://flows.example/back',
      scope: 'read write',
      pkce: 'S256',
    } as const;

    const url = new URL(authorizationUrl(request, 'ours', 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'));

    expect(url.origin + url.pathname).toBe('https://id.example/auth');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      access_type: 'offline',
      response_type: 'code',
      client_id: 'c',
      redirect_uri: 'https://flows.example/back',
      scope: 'read write',
      state: 'ours',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    });
  });

  it('has the parameters of a piece, the plain verifier where the provider wants it, and none where it wants none', () => {
    const request = {
      ...{ authorizationUrl: 'https://id.example/auth?user_scope=search:read', clientId: 'c', scope: '' },
      ...{ redirectUrl: 'https://flows.example/back' },
      parameters: { ...signInParameters({ prompt: 'consent', extra: { audience: 'api' } }), state: 'theirs' },
    };
    const parametersOf = (pkce: 'plain' | null) =>
      Object.fromEntries(new URL(authorizationUrl({ ...request, pkce }, 'ours', 'verifier')).searchParams);

    const without = {
      ...{ user_scope: 'search:read', access_type: 'offline', prompt: 'consent', audience: 'api', state: 'ours' },
      ...{ response_type: 'code', client_id: 'c', redirect_uri: 'https://flows.example/back' },
    };
    expect(parametersOf(null)).toEqual(without);
    expect(parametersOf('plain')).toEqual({
      ...{ ...without, code_challenge: 'verifier', code_challenge_method: 'plain' },
    });
    expect(signInParameters({ prompt: null, extra: {} })).toEqual({ access_type: 'offline' });
  });
});
