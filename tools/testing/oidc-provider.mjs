/**
 * A real OpenID provider for tests, in a process of its own because jest cannot load it. It gives consent without asking
 * anybody, for the person that `login_hint` names. Access tokens tell the person's address, which is verified unless the
 * person is called `unverified`. It sends its address to its parent by IPC, and answers the messages `count` and `revoke`.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const ACCESS_TOKEN_SECONDS = 3_600;
const REDIRECT = 'http://127.0.0.1/back';

const client = (client_id, more) => ({
  client_id,
  client_secret: `secret-of-${client_id}`,
  redirect_uris: [REDIRECT],
  response_types: ['code'],
  grant_types: ['authorization_code', 'refresh_token'],
  ...more,
});
const MACHINE = { grant_types: ['client_credentials'], redirect_uris: [], response_types: [] };

const configuration = {
  clients: [
    client('flows', { token_endpoint_auth_method: 'client_secret_post' }),
    client('flows-by-header', { token_endpoint_auth_method: 'client_secret_basic' }),
    client('machine', { ...MACHINE, token_endpoint_auth_method: 'client_secret_post' }),
  ],
  cookies: { keys: ['only for tests'] },
  ttl: { AccessToken: ACCESS_TOKEN_SECONDS, ClientCredentials: ACCESS_TOKEN_SECONDS },
  scopes: ['openid', 'offline_access', 'read'],
  pkce: { required: () => true },
  rotateRefreshToken: true,
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_context, resource) => ({
        scope: 'read',
        audience: resource,
        accessTokenTTL: ACCESS_TOKEN_SECONDS,
        accessTokenFormat: 'jwt',
      }),
    },
  },
  extraTokenClaims: (_context, { accountId }) =>
    accountId && { email: `${accountId}@provider.test`, email_verified: accountId !== 'unverified' },
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
};

const server = createServer();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
const issuer = `http://127.0.0.1:${port}`;
const provider = new Provider(issuer, configuration);
const answer = provider.callback();
/** How often tokens were refreshed. */
let refreshes = 0;
/** @type {Set<string>} */
const grantIds = new Set();

provider.on('grant.success', (context) => {
  if (context.oidc.params.grant_type === 'refresh_token') refreshes++;
});

server.on('request', async (request, response) => {
  if (!request.url?.startsWith('/interaction/')) return answer(request, response);
  const { params, session } = await provider.interactionDetails(request, response);
  const accountId = session?.accountId ?? params.login_hint ?? 'ada';
  const grant = new provider.Grant({ accountId, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  if (params.resource) grant.addResourceScope(params.resource, 'read');
  grantIds.add(await grant.save());
  const result = { login: { accountId }, consent: { grantId: grant.jti } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
});

process.on('message', async (message) => {
  if (message === 'revoke') {
    for (const id of grantIds) {
      await (await provider.Grant.find(id))?.destroy();
      await provider.RefreshToken.revokeByGrantId(id);
    }
  }
  process.send?.({ refreshes });
});
process.once('disconnect', () => process.exit());
process.send?.({ issuer, redirect: REDIRECT });
