import { createHash } from 'node:crypto';
import { pieceStep } from '@millrace/domain/testing';
import { installPackage, registryHas } from '@millrace/e2e-support';
import { ServiceWithTargets } from './testing/service-with-targets';
import { VendorServer } from './testing/vendor-server';

const SLACK = { name: '@activepieces/piece-slack', version: '0.17.9' };
const SHOPS = { name: '@e2e/piece-shops', version: '1.0.0' };
const BACK = 'https://flows.example.com/connected';
const whereTheyAre = registryHas(SLACK.name, SLACK.version) ? it : it.skip;

/** A package whose provider has a host for each shop, and wants PKCE. Its action gives back the connection. */
const SHOPS_CODE = `
const auth = {
  type: 'OAUTH2', displayName: 'Shop', required: true,
  authUrl: 'https://{shop}.shops.example.com/authorize', tokenUrl: 'https://{shop}.shops.example.com/token',
  scope: ['read', 'write'], prompt: 'omit', pkce: true, pkceMethod: 'S256', authorizationMethod: 'HEADER',
  extra: { audience: 'shops' },
  props: { shop: { type: 'SHORT_TEXT', displayName: 'Name of the shop', required: true } },
};
const actions = { show: {
  displayName: 'Show', description: '', props: {},
  run: async ({ auth }) => auth,
} };
exports.shops = {
  auth, metadata: () => ({ displayName: 'Shops', description: '', auth, actions, triggers: {} }),
  actions: () => actions, triggers: () => ({}),
  getAction: (name) => actions[name], getTrigger: () => undefined,
  getContextInfo: () => ({ version: '2' }),
};`;

interface Begun {
  authorizationUrl: string;
  state: string;
}

describe('the sign-in to the provider of a package', () => {
  let vendors: VendorServer;
  let targets: ServiceWithTargets;

  beforeAll(async () => {
    vendors = await VendorServer.start(['slack.com', 'acme.shops.example.com']);
    targets = await ServiceWithTargets.start(vendors.settings);
  });
  afterAll(async () => {
    expect(await targets.service.stop()).toBe(0);
    await vendors.stop();
  });

  const client = () => targets.service.client;
  const begin = (body: object) =>
    client().request<Begun>('POST', '/connections/oauth2/authorization-url', {
      ...{ projectId: targets.project, redirect_url: BACK },
      ...body,
    });
  const begun = async (body: object): Promise<{ url: URL; state: string }> => {
    const { status, body: answer } = await begin(body);
    expect({ status, answer }).toMatchObject({ status: 200 });
    return { url: new URL(answer.authorizationUrl), state: answer.state };
  };
  const connect = (externalId: string, pieceName: string, value: object) =>
    client().request('POST', '/connections', {
      ...{ projectId: targets.project, externalId, displayName: externalId, type: 'OAUTH2', pieceName, value },
    });
  const run = (piece: { name: string; version: string }, actionName: string, input: Record<string, unknown>) => {
    const step = pieceStep('act', input);
    const settings = { ...step.settings, pieceName: piece.name, pieceVersion: piece.version, actionName };
    return targets.run([{ ...step, settings }]);
  };
  const paramsOf = (url: URL) => Object.fromEntries(url.searchParams);
  const sentTo = (host: string, path: string): Record<string, string>[] =>
    vendors
      .callsOf(host)
      .filter(({ url }) => new URL(url).pathname === path)
      .map(({ body, credentials }) => ({ credentials, ...Object.fromEntries(new URLSearchParams(body)) }));

  whereTheyAre('takes the app of an administrator, and the package gets what Slack has told', async () => {
    await client().must('POST', '/pieces', SLACK);
    const read = () =>
      client().must<{ auth: unknown }>('GET', `/pieces/${encodeURIComponent(SLACK.name)}?version=${SLACK.version}`);
    expect((await read()).auth).toMatchObject({ signIn: { props: {}, hasApp: false } });
    expect(await begin({ pieceName: SLACK.name })).toMatchObject({
      status: 400,
      body: { params: { errors: [{ path: '/client_id' }] } },
    });
    await client().must('POST', '/oauth-apps', {
      ...{ pieceName: SLACK.name, clientId: 'slack-app', clientSecret: 'secret-of-the-app' },
    });
    expect((await read()).auth).toMatchObject({ signIn: { hasApp: true } });
    const { data } = await client().must<{ data: { name: string; auth: unknown }[] }>('GET', '/pieces?limit=100');
    expect(data.find(({ name }) => name === SLACK.name)?.auth).toMatchObject({ signIn: { hasApp: true } });

    const { url, state } = await begun({ pieceName: SLACK.name });
    vendors.answer('slack.com/api/oauth.v2.access', {
      ...{ ok: true, access_token: 'xoxb-signed-in', token_type: 'bot', scope: 'chat:write', team: { id: 'T1' } },
      authed_user: { id: 'U1', access_token: 'xoxp-of-the-user' },
    });
    const made = await connect('slack', SLACK.name, { code: 'code-1', state });
    vendors.answer('slack.com/api/search.messages', { ok: true, messages: { matches: [{ text: 'Hello' }] } });
    const ended = await run(SLACK, 'searchMessages', { auth: "{{ connections['slack'] }}", query: 'Hello' });

    expect(url.origin + url.pathname).toBe('https://slack.com/oauth/v2/authorize');
    expect(paramsOf(url)).toMatchObject({
      ...{ client_id: 'slack-app', redirect_uri: BACK, response_type: 'code', access_type: 'offline', state },
      ...{ prompt: 'consent', scope: expect.stringContaining('chat:write'), user_scope: expect.any(String) },
    });
    expect(paramsOf(url)).not.toHaveProperty('code_challenge');
    expect(made).toMatchObject({ status: 201, body: { externalId: 'slack', status: 'ACTIVE' } });
    expect(sentTo('slack.com', '/api/oauth.v2.access')).toEqual([
      {
        ...{ credentials: '', grant_type: 'authorization_code', code: 'code-1', redirect_uri: BACK },
        ...{ client_id: 'slack-app', client_secret: 'secret-of-the-app' },
      },
    ]);
    expect(ended.steps?.['act']).toMatchObject({ status: 'SUCCEEDED', output: [{ text: 'Hello' }] });
    expect(sentTo('slack.com', '/api/search.messages')).toMatchObject([{ credentials: 'Bearer xoxp-of-the-user' }]);
    expect(JSON.stringify(ended)).not.toMatch(/xoxp-|xoxb-|secret-of-the-app/);
  });

  it('fills in what the package asks for, proves itself by PKCE, and sends no secret to another host', async () => {
    await installPackage(client(), SHOPS.name, SHOPS_CODE);
    const app = { pieceName: SHOPS.name, clientId: 'shops-app', clientSecret: 'secret-of-shops' };
    await client().must('POST', '/oauth-apps', app);
    vendors.answer('acme.shops.example.com/token', { access_token: 'token-of-acme', expires_in: 3600, region: 'eu' });

    const { url, state } = await begun({ pieceName: SHOPS.name, props: { shop: 'acme' } });
    await connect('shop', SHOPS.name, { code: 'code-2', state });
    const ended = await run(SHOPS, 'show', { auth: "{{ connections['shop'] }}" });

    const challenge = paramsOf(url)['code_challenge'];
    expect(url.origin + url.pathname).toBe('https://acme.shops.example.com/authorize');
    expect(paramsOf(url)).toEqual({
      ...{ client_id: 'shops-app', redirect_uri: BACK, response_type: 'code', access_type: 'offline', state },
      ...{ scope: 'read write', audience: 'shops', code_challenge: challenge, code_challenge_method: 'S256' },
    });
    const [sent = {}] = sentTo('acme.shops.example.com', '/token');
    expect(sent['credentials']).toBe(`Basic ${Buffer.from('shops-app:secret-of-shops').toString('base64')}`);
    expect(
      createHash('sha256')
        .update(sent['code_verifier'] ?? '')
        .digest('base64url'),
    ).toBe(challenge);
    expect(ended.steps?.['act']?.output).toEqual({
      ...{ type: 'OAUTH2', access_token: '**REDACTED**', scope: 'read write', client_id: 'shops-app' },
      ...{ claimed_at: expect.any(Number), expires_in: 3600, data: { region: 'eu' }, props: { shop: 'acme' } },
      signed_in_to: SHOPS.name,
    });
  });

  it('is not lost when the package gives no answer to whether the connection works', async () => {
    const broken = { name: '@e2e/piece-breaks', auth: `validate: () => process.exit(1),` };
    await installPackage(
      client(),
      broken.name,
      SHOPS_CODE.replace("type: 'OAUTH2',", `type: 'OAUTH2', ${broken.auth}`),
    );
    vendors.answer('acme.shops.example.com/token', { access_token: 'token-of-breaks', expires_in: 3600 });
    const own = { pieceName: broken.name, client_id: 'mine', props: { shop: 'acme' } };

    const { state } = await begun(own);
    const made = await connect('breaks', broken.name, { code: 'code-3', state, client_secret: 's3cret' });
    const ended = await run(SHOPS, 'show', { auth: "{{ connections['breaks'] }}" });

    expect(made).toMatchObject({ status: 201, body: { status: 'ACTIVE', unchecked: expect.any(String) } });
    expect(ended.steps?.['act']).toMatchObject({ status: 'SUCCEEDED', output: { access_token: '**REDACTED**' } });
    const key = { projectId: targets.project, externalId: 'key', displayName: 'Key', type: 'CUSTOM_AUTH' };
    const typed = { ...key, pieceName: broken.name, value: { props: { access_token: 'typed' } } };
    expect(await client().request('POST', '/connections', typed)).toMatchObject({ status: 503 });
  });

  it('is refused for props that lead the secret of the app elsewhere, and for a state without its client', async () => {
    const elsewhere = await begin({ pieceName: SHOPS.name, props: { shop: 'evil.test/?' } });
    const missing = await begin({ pieceName: SHOPS.name });
    const other = await begin({ pieceName: 'http' });
    const named = await begun({
      ...{ client_id: 'mine', authorization_url: 'https://acme.shops.example.com/authorize' },
    });

    expect(elsewhere).toMatchObject({ status: 400, body: { params: { errors: [{ path: '/props' }] } } });
    expect(missing).toMatchObject({ status: 400, body: { params: { errors: [{ path: '/props/shop' }] } } });
    expect(other).toMatchObject({ status: 400, body: { params: { errors: [{ path: '/pieceName' }] } } });
    expect(await begin({})).toMatchObject({ status: 400 });
    expect(await connect('none', SHOPS.name, { code: 'c', state: named.state })).toMatchObject({ status: 400 });
  });
});
