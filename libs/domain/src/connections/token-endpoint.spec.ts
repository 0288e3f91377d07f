import { OutboundFailure, OutboundHttp, type OutboundAnswer, type OutboundRequest } from '../outbound/outbound-http';
import type { OAuth2Client, OAuth2Value } from './oauth2-value';
import { TokenEndpoint } from './token-endpoint';

const NOW = new Date('2026-01-02T00:00:00.000Z');
const CLIENT: OAuth2Client = {
  client_id: 'a client',
  client_secret: 's3cr&t',
  authorization_url: null,
  token_url: 'https://id.example/token',
  scope: 'read write',
  redirect_url: 'https://flows.example/back',
  grant_type: 'authorization_code',
  authorization_method: 'BODY',
};
const VALUE: OAuth2Value = {
  ...CLIENT,
  type: 'OAUTH2',
  access_token: 'old-access',
  refresh_token: 'old-refresh',
  obtained_at: 0,
  expires_at: 1,
};

class Provider extends OutboundHttp {
  readonly asked: OutboundRequest[] = [];

  constructor(private readonly answer: Partial<OutboundAnswer> & { json?: unknown; failure?: OutboundFailure }) {
    super();
  }

  override send(request: OutboundRequest): Promise<OutboundAnswer> {
    this.asked.push(request);
    const { json, failure, ...answer } = this.answer;
    if (failure) return Promise.reject(failure);
    return Promise.resolve({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(json ?? null)), ...answer });
  }

  get sent() {
    return Object.fromEntries(new URLSearchParams(String(this.asked[0]?.body)));
  }
}

const refresh = (provider: Provider, more: Partial<OAuth2Value> = {}) =>
  new TokenEndpoint(provider).refresh('p', { ...VALUE, ...more }, NOW);

describe('TokenEndpoint', () => {
  it('exchanges a code with its verifier, for the project, without following redirects', async () => {
    const provider = new Provider({ json: { access_token: 'a', refresh_token: 'r', expires_in: 3600 } });

    const tokens = await new TokenEndpoint(provider).exchange('p', CLIENT, { code: 'c', codeVerifier: 'v' }, NOW);

    expect(tokens).toEqual({
      access_token: 'a',
      refresh_token: 'r',
      obtained_at: NOW.getTime(),
      expires_at: NOW.getTime() + 3_600_000,
      data: {},
    });
    expect(provider.sent).toEqual({
      grant_type: 'authorization_code',
      code: 'c',
      redirect_uri: 'https://flows.example/back',
      code_verifier: 'v',
      client_id: 'a client',
      client_secret: 's3cr&t',
    });
    expect(provider.asked[0]).toMatchObject({
      url: CLIENT.token_url,
      projectId: 'p',
      followRedirects: false,
      plainHttpOnlyToListed: true,
    });
  });

  it('keeps what else the provider tells, also when a refresh does not tell it again', async () => {
    const told = {
      access_token: 'a',
      refresh_token: 'r',
      token_type: 'bot',
      scope: 'chat',
      team: { id: 'T1' },
      app_id: 'A1',
    };
    const tokens = await new TokenEndpoint(new Provider({ json: told })).exchange(
      ...(['p', CLIENT, { code: 'c', codeVerifier: null }, NOW] as const),
    );
    const value = await refresh(new Provider({ json: { access_token: 'b', app_id: 'A2' } }), tokens);

    const data = { team: { id: 'T1' }, app_id: 'A1' };
    expect(tokens).toMatchObject({ token_type: 'bot', granted_scope: 'chat', data });
    expect(value).toMatchObject({ access_token: 'b', token_type: 'bot', data: { ...data, app_id: 'A2' } });
  });

  it('puts the client into the header where the provider wants it there', async () => {
    const provider = new Provider({ json: { access_token: 'a' } });

    await refresh(provider, { authorization_method: 'HEADER' });

    expect(provider.sent).toEqual({ grant_type: 'refresh_token', refresh_token: 'old-refresh' });
    const basic = Buffer.from('a+client:s3cr%26t').toString('base64');
    expect(provider.asked[0]?.headers).toMatchObject({ authorization: `Basic ${basic}` });
  });

  it('sends no secret of a public client', async () => {
    const provider = new Provider({ json: { access_token: 'a' } });

    await refresh(provider, { client_secret: '' });

    expect(provider.sent).not.toHaveProperty('client_secret');
  });

  it.each([
    ['a new refresh token', { access_token: 'a', refresh_token: 'new' }, 'new'],
    ['no refresh token', { access_token: 'a' }, 'old-refresh'],
    ['an empty one', { access_token: 'a', refresh_token: '' }, 'old-refresh'],
  ])('keeps the old refresh token unless another comes back: %s', async (_, json, kept) => {
    expect(await refresh(new Provider({ json }))).toMatchObject({ access_token: 'a', refresh_token: kept });
  });

  it('asks again with its own credentials where the grant says so', async () => {
    const provider = new Provider({ json: { access_token: 'a', expires_in: '60' } });

    const value = await refresh(provider, { grant_type: 'client_credentials', refresh_token: null });

    expect(value).toMatchObject({ access_token: 'a', refresh_token: null, expires_at: NOW.getTime() + 60_000 });
    expect(provider.sent).toMatchObject({ grant_type: 'client_credentials', scope: 'read write' });
  });

  it('reads an answer that is a form', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
    const provider = new Provider({ headers, body: Buffer.from('access_token=a&expires_in=60') });

    expect(await refresh(provider)).toMatchObject({ access_token: 'a', expires_at: NOW.getTime() + 60_000 });
  });

  it.each<[string, ConstructorParameters<typeof Provider>[0], string, boolean]>([
    [
      'invalid_grant',
      { status: 400, json: { error: 'invalid_grant', error_description: 's3cr&t' } },
      'answered 400 invalid_grant.',
      true,
    ],
    ['an error with the status 200', { json: { error: 'invalid_client' } }, 'answered 200 invalid_client.', true],
    [
      'an error that may pass',
      { status: 503, json: { error: 'temporarily_unavailable' } },
      'answered 503 temporarily_unavailable.',
      false,
    ],
    ['no JSON', { status: 502, body: Buffer.from('<html>s3cr&t') }, 'answered 502.', false],
    ['no token', { json: { token: 'a' } }, 'answered without an access token.', false],
    ['an error that is no name', { status: 400, json: { error: 's3cr&t "x"' } }, 'answered 400.', false],
    [
      'silence',
      { failure: new OutboundFailure('timeout', 'It took too long.') },
      'could not be asked: It took too long.',
      false,
    ],
  ])('tells %s without repeating what was sent, and whether a person must help', async (_, answer, words, isFinal) => {
    const refused = refresh(new Provider(answer));

    await expect(refused).rejects.toMatchObject({ name: 'OAuth2Refusal', isFinal });
    await expect(refused).rejects.toThrow(words);
    await expect(refused).rejects.not.toThrow('s3cr&t');
  });

  it('refreshes nothing without a refresh token', async () => {
    await expect(refresh(new Provider({}), { refresh_token: null })).rejects.toMatchObject({ isFinal: true });
  });
});
