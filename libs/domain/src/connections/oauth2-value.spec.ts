import { authorizationUrl } from './authorization-url';
import { hasExpired, isDueForRefresh } from './oauth2-value';

const MINUTE = 60_000;
const tokens = (minutes: number | null) => ({
  access_token: 'a',
  refresh_token: null,
  obtained_at: 0,
  expires_at: minutes === null ? null : minutes * MINUTE,
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
    expect(isDueForRefresh(tokens(lives), at(after))).toBe(due);
  });

  it('has expired at its end, and never when it has none', () => {
    expect([59, 60].map((minutes) => hasExpired(tokens(60), at(minutes)))).toEqual([false, true]);
    expect(hasExpired(tokens(null), at(1e6))).toBe(false);
  });
});

describe('authorizationUrl', () => {
  it('asks for a code with state and the S256 challenge of RFC 7636, and keeps the parameters of the endpoint', () => {
    const request = {
      authorizationUrl: 'https://id.example/auth?access_type=offline&state=theirs',
      clientId: 'c',
      redirectUrl: 'https://flows.example/back',
      scope: 'read write',
    };

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
});
