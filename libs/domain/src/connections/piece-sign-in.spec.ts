import { InvalidRequestError } from '../errors/invalid-request.error';
import type { GrantType } from './oauth2-value';
import { clientForPiece, type PieceSignIn, type SignInProp } from './piece-sign-in';

const signIn = (tokenUrl: string, props: Record<string, SignInProp>): PieceSignIn => ({
  authorizationUrl: 'https://id.example.com/authorize',
  tokenUrl,
  scopes: ['read', 'write_{area}'],
  grantTypes: ['authorization_code'],
  clientAuthentication: 'HEADER',
  pkce: null,
  prompt: 'consent',
  extra: {},
  props,
});
const clientOf = (
  piece: PieceSignIn,
  props: Record<string, unknown>,
  isOfApp = true,
  grantType: GrantType = 'authorization_code',
) =>
  clientForPiece(piece, {
    ...{
      pieceName: 'shops',
      props,
      isOfApp,
      clientId: 'id',
      clientSecret: 'secret',
      redirectUrl: 'https://flows.example/back',
    },
    ...{ grantType, at: '/value' },
  });
const free = { required: true };

describe('the client of a sign-in for a piece', () => {
  it('has the endpoints and scopes of the piece, with what the person has given in their places', () => {
    const piece = signIn('https://{shop}.example.com/token', {
      shop: free,
      area: { required: false, defaultValue: 7 },
    });

    expect(clientOf(piece, { shop: 'acme' })).toEqual({
      client_id: 'id',
      client_secret: 'secret',
      authorization_url: 'https://id.example.com/authorize',
      token_url: 'https://acme.example.com/token',
      scope: 'read write_7',
      redirect_url: 'https://flows.example/back',
      grant_type: 'authorization_code',
      authorization_method: 'HEADER',
      props: { shop: 'acme', area: 7 },
      signed_in_to: 'shops',
    });
  });

  it.each([
    ['a missing prop', {}, '/value/props/shop: is required by the piece.'],
    ['one that the piece does not ask for', { shop: 'a', x: 1 }, '/value/props/x: is not what the piece asks for.'],
    ['another value than the choices', { shop: 'a', zone: 'eu' }, '/value/props/zone: must be one of the choices of'],
  ])('is refused for %s', (_, props, message) => {
    const piece = signIn('https://{shop}.example.com/token', {
      shop: free,
      zone: { required: false, choices: ['us'] },
    });

    expect(() => clientOf(piece, props)).toThrow(InvalidRequestError);
    expect(() => clientOf(piece, props)).toThrow(message);
  });

  it.each([
    ['javascript:alert(1)//', {}],
    ['', {}],
    ['{page}/authorize', { page: 'javascript:alert(1)//' }],
  ])('sends nobody to %j', (authorizationUrl, props) => {
    const piece = { ...signIn('https://id.example.com/token', { page: { required: false } }), authorizationUrl };

    expect(() => clientOf(piece, props)).toThrow('lead to no page of the provider.');
  });

  it('by its own credentials needs no page', () => {
    const piece = { ...signIn('https://id.example.com/token', {}), authorizationUrl: '' };

    expect(clientOf(piece, {}, true, 'client_credentials').authorization_url).toBe('');
  });

  describe('of an app, whose secret goes only to a host that the piece names,', () => {
    const shops = signIn('https://{shop}.example.com/token', { shop: free });
    const hosts = signIn('https://{host}/token', { host: free });
    const zones = signIn('https://accounts.{zone}/token', {
      zone: { required: true, choices: ['mail.com', 'mail.eu'] },
    });
    const paths = signIn('https://login.example.com/{tenant}/token', { tenant: free });

    it.each([
      [shops, { shop: 'acme' }, 'https://acme.example.com/token'],
      [zones, { zone: 'mail.eu' }, 'https://accounts.mail.eu/token'],
      [paths, { tenant: 'common' }, 'https://login.example.com/common/token'],
    ])('is known where it does', (piece, props, url) => {
      expect(clientOf(piece, props).token_url).toBe(url);
    });

    it.each([
      [shops, { shop: 'evil.test/?' }],
      [shops, { shop: 'evil.test#' }],
      [shops, { shop: 'evil.test:8443/' }],
      [shops, { shop: 'evil.test\\' }],
      [hosts, { host: 'evil.test' }],
      [signIn('https://{host}.com/token', { host: free }), { host: 'evil' }],
      [signIn('{url}/token', { url: free }), { url: 'https://evil.test' }],
      [signIn('https://id.example.com{path}', { path: free }), { path: '.evil.test/token' }],
    ])('is refused where it does not', (piece, props) => {
      expect(() => clientOf(piece, props)).toThrow("so the app's secret is not sent there.");
    });

    it('and is free where the person has a client of his own', () => {
      const client = clientOf(hosts, { host: 'mine.test' }, false);

      expect(client.token_url).toBe('https://mine.test/token');
      expect(client).not.toHaveProperty('signed_in_to');
    });
  });
});
