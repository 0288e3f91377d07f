import { randomBytes } from 'node:crypto';
import {
  AUTHORIZATION_TRIES,
  Clock,
  ConnectionRefreshes,
  ConnectionRepository,
  ConnectionValues,
  FreshConnections,
  InvalidRequestError,
  parseAllowList,
  RateLimitedError,
  ServiceUnavailableError,
  SystemClock,
  TokenEndpoint,
  type Connection,
  type OAuth2Value,
  type Principal,
} from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import { OutboundModule } from '@millrace/http';
import {
  FreshConnectionsModule,
  KeyRing,
  PostgresModule,
  RepositoriesModule,
  SecretsModule,
} from '@millrace/persistence';
import { createTestDatabase, type TestDatabase } from '@millrace/persistence/testing';
import { Global, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Pool } from 'pg';
import { ProjectAccess } from '../auth/project-access';
import { ConnectionValidation } from '../pieces/connection-validation';
import { PieceSignIns } from '../pieces/piece-sign-ins';
import { OpenIdProvider } from '../testing/openid-provider';
import { ConnectionsModule } from './connections.module';
import { ConnectionsService } from './connections.service';
import { OAuth2Connections } from './oauth2-connections';

const MINUTE_MS = 60_000;

/** What a piece answers when it is asked whether a connection works. */
let answers: () => Promise<void>;

@Global()
@Module({
  providers: [
    { provide: Clock, useClass: SystemClock },
    { provide: PieceSignIns, useValue: {} },
    {
      provide: ConnectionValidation,
      useValue: {
        find: async (_projectId: string, name: string) => ({ name, version: '1.0.0' }),
        assertWorks: (): Promise<void> => answers(),
      },
    },
    {
      provide: ProjectAccess,
      useValue: {
        assertPermitted: () => Promise.resolve(),
        projectOf: (_: Principal, named: string) => Promise.resolve(named),
      },
    },
  ],
  exports: [Clock, ProjectAccess, ConnectionValidation, PieceSignIns],
})
class SurroundingsModule {}

describe('connections by OAuth 2.0', () => {
  let provider: OpenIdProvider;
  let database: TestDatabase;
  let app: TestingModule;
  let projectId: string;
  const principal: Principal = { kind: 'user', userId: anId(), platformAdmin: true, projectIds: 'any', roles: 'ADMIN' };

  beforeAll(async () => {
    [provider, database] = await Promise.all([OpenIdProvider.start(), createTestDatabase()]);
    app = await Test.createTestingModule({
      imports: [
        PostgresModule.forRoot({ databaseUrl: database.url, applicationName: 'oauth test' }),
        SecretsModule.forRoot(KeyRing.of({ encryptionKey: randomBytes(32) })),
        RepositoriesModule,
        OutboundModule.forRoot({ SVC_SSRF_ALLOW_LIST: parseAllowList('127.0.0.1'), SVC_OUTBOUND_CONNECT_TO: [] }),
        SurroundingsModule,
        ConnectionsModule,
        FreshConnectionsModule,
      ],
    }).compile();
    projectId = anId();
    const pool = app.get(Pool);
    const owner = [principal.userId, 'ada@test'];
    await pool.query(
      `insert into app_user (id, email, first_name, last_name, platform_role, password_hash, created)
       values ($1, $2, 'Ada', 'Test', 'ADMIN', 'x', now())`,
      owner,
    );
    await pool.query(
      `insert into project (id, display_name, owner_id, created, updated) values ($1, 'P', $2, now(), now())`,
      [projectId, principal.userId],
    );
  });
  afterAll(async () => {
    provider.stop();
    await app.close();
    await database.drop();
  });

  const values = () => app.get(ConnectionValues, { strict: false });
  /** The same for another process. */
  const anotherProcess = () => {
    const refreshes = app.get(ConnectionRefreshes, { strict: false });
    const endpoint = app.get(TokenEndpoint, { strict: false });
    return new FreshConnections({ values: values(), refreshes, endpoint, clock: new SystemClock() });
  };
  const clientOf = (client: string) => ({
    client_id: client,
    client_secret: `secret-of-${client}`,
    token_url: `${provider.issuer}/token`,
  });
  const begin = (who: Principal = principal, clientId = 'flows') =>
    app.get(OAuth2Connections, { strict: false }).begin(who, {
      projectId,
      client_id: clientId,
      authorization_url: `${provider.issuer}/auth?prompt=consent`,
      redirect_url: provider.redirect,
      scope: 'openid offline_access',
    });
  const upsert = async (externalId: string, value: object, who = principal, more: object = {}) => {
    const body = { projectId, externalId, displayName: 'Provider', type: 'OAUTH2', value, ...more };
    return (await app.get(ConnectionsService, { strict: false }).upsert(who, body)).thing;
  };
  async function connected(externalId: string, client = 'flows', more: object = {}): Promise<Connection> {
    const { authorizationUrl } = await begin(principal, client);
    const given = await provider.consent(authorizationUrl);
    return upsert(externalId, {
      ...clientOf(client),
      redirect_url: provider.redirect,
      code: given.code,
      state: given.state,
      ...more,
    });
  }
  const valueOf = async ({ externalId }: Connection) =>
    (await values().find(projectId, [externalId])).get(externalId)?.value as OAuth2Value;
  /** Makes the tokens old: they expire so many minutes from now. */
  async function age(connection: Connection, minutes: number): Promise<void> {
    const expires = Date.now() + minutes * MINUTE_MS;
    const aged = { ...(await valueOf(connection)), obtained_at: expires - 60 * MINUTE_MS, expires_at: expires };
    await app.get(ConnectionRepository).upsert(connection, aged);
  }
  const problemAt = (path: string, message: string) => ({
    params: { errors: [{ path, message: expect.stringContaining(message) as string }] },
  });

  it.each([
    ['flows', {}],
    ['flows-by-header', { authorization_method: 'HEADER' }],
  ])('are made with a code, its state and PKCE, by the client %s', async (client, more) => {
    const connection = await connected(`made-by-${client}`, client, more);

    expect(connection).toMatchObject({ type: 'OAUTH2', status: 'ACTIVE', statusReason: null });
    const value = await valueOf(connection);
    expect(value).toMatchObject({
      access_token: expect.any(String) as string,
      refresh_token: expect.any(String) as string,
    });
    expect(value.expires_at).toBeGreaterThan(Date.now());
    expect(JSON.stringify(connection)).not.toContain(value.access_token);
  });

  it('take a state once, from the caller who began it, for its client, whatever others try before', async () => {
    const value = { ...clientOf('flows'), redirect_url: provider.redirect };
    const stranger: Principal = { ...principal, userId: anId() };
    const { authorizationUrl } = await begin();
    const { code, state } = await provider.consent(authorizationUrl);
    const given = { ...value, code, state };

    const refused = problemAt('/value/state', 'is not of an authorization');
    await expect(upsert('x', given, stranger)).rejects.toMatchObject(refused);
    await expect(upsert('x', { ...given, client_id: 'other' })).rejects.toMatchObject(refused);
    await expect(upsert('x', { ...given, state: 'unknown' })).rejects.toMatchObject(refused);
    const { state: _state, ...stateless } = given;
    await expect(upsert('x', stateless)).rejects.toMatchObject(problemAt('/value/state', 'is required'));
    expect(await upsert('taken-once', given)).toMatchObject({ status: 'ACTIVE' });
    await expect(upsert('x', given)).rejects.toMatchObject(refused);
  });

  const signedIn = async () => {
    const { code, state } = await provider.consent((await begin()).authorizationUrl);
    return { ...clientOf('flows'), redirect_url: provider.redirect, code, state };
  };

  it.each([
    ['no worker', new ServiceUnavailableError('No worker has asked it.')],
    ['too many questions', new RateLimitedError(5)],
  ])('are stored, and said to be unchecked, when their piece gives no answer: %s', async (_what, error) => {
    answers = () => Promise.reject(error);
    const of = { pieceName: '@acme/piece-notes' };

    const connection = await upsert('unchecked', await signedIn(), principal, of);

    expect(connection).toMatchObject({ status: 'ACTIVE', statusReason: null, unchecked: error.message });
    expect((await valueOf(connection)).access_token).toEqual(expect.any(String));
    const own = { ...clientOf('machine'), grant_type: 'client_credentials' };
    await expect(upsert('own', own, principal, of)).rejects.toBe(error);
    answers = () => Promise.resolve();
    expect(await upsert('unchecked', await signedIn(), principal, of)).not.toHaveProperty('unchecked');
  });

  it('are not stored when their piece refuses them', async () => {
    const refusal = new InvalidRequestError([{ path: '/value', message: 'does not work.' }]);
    answers = () => Promise.reject(refusal);

    await expect(upsert('refused', await signedIn(), principal, { pieceName: 'notes' })).rejects.toBe(refusal);

    expect((await values().find(projectId, ['refused'])).size).toBe(0);
  });

  it('leave a state that failed for another reason than the code, but not for ever', async () => {
    const begun = await begin();
    const { code } = await provider.consent(begun.authorizationUrl);
    const given = { ...clientOf('flows'), redirect_url: provider.redirect, code, state: begun.state };
    const wrong = { ...given, client_secret: 'wr0ng' };
    await expect(upsert('x', wrong)).rejects.toMatchObject(problemAt('/value/code', 'invalid_client'));
    expect(await upsert('second-try', given)).toMatchObject({ status: 'ACTIVE' });

    const { state } = await begin();
    const hopeless = { ...wrong, code: 'a code', state };
    for (let tries = 0; tries < AUTHORIZATION_TRIES; tries++)
      await expect(upsert('x', hopeless)).rejects.toMatchObject(problemAt('/value/code', 'invalid_client'));
    await expect(upsert('x', hopeless)).rejects.toMatchObject(problemAt('/value/state', 'is not of an authorization'));
  });

  it('end a state whose code the provider does not know, and try one code once at a time', async () => {
    const value = { ...clientOf('flows'), redirect_url: provider.redirect, code: 'a code' };
    const { state } = await begin();
    const refusalOf = (attempt: Promise<Connection>) =>
      attempt.then(String, ({ params }: { params: object }) => JSON.stringify(params));
    const reasons = await Promise.all([1, 2, 3].map(() => refusalOf(upsert('x', { ...value, state }))));
    expect(reasons.filter((reason) => reason.includes('invalid_grant'))).toHaveLength(1);
    expect(reasons.filter((reason) => reason.includes('/value/state'))).toHaveLength(2);
  });

  it('are not made with a wrong secret, at a forbidden address, or without a code', async () => {
    const { authorizationUrl, state } = await begin();
    const { code } = await provider.consent(authorizationUrl);
    const value = { ...clientOf('flows'), redirect_url: provider.redirect, code, state, client_secret: 'wr0ng' };

    await expect(upsert('x', value)).rejects.toMatchObject(problemAt('/value/code', 'invalid_client'));
    const inside = { ...clientOf('machine'), grant_type: 'client_credentials', token_url: 'http://10.0.0.1/token' };
    await expect(upsert('x', inside)).rejects.toMatchObject(problemAt('/value/client_id', 'could not be asked'));
    await expect(upsert('x', clientOf('flows'))).rejects.toMatchObject(problemAt('/value/code', 'is required'));
  });

  it('are refreshed once over all processes before the token expires, again and again', async () => {
    const connection = await connected('refreshed');
    const processes = [anotherProcess(), anotherProcess(), anotherProcess()];
    for (const minutes of [10, 10]) {
      await age(connection, minutes);
      const [before, old] = [await provider.ask('count'), await valueOf(connection)];

      const found = await Promise.all(processes.map((each) => each.find(projectId, ['refreshed', 'refreshed'])));

      const fresh = await valueOf(connection);
      expect(await provider.ask('count')).toBe(before + 1);
      expect(fresh.access_token).not.toBe(old.access_token);
      const tokens = found.map((each) => (each.get('refreshed')?.value as OAuth2Value).access_token);
      expect(tokens.every((token) => [old.access_token, fresh.access_token].includes(token))).toBe(true);
      expect(tokens).toContain(fresh.access_token);
    }
  });

  it('are waited for once the token has expired', async () => {
    const connection = await connected('expired');
    await age(connection, -1);
    const before = await provider.ask('count');

    const found = await Promise.all(
      [anotherProcess(), anotherProcess()].map((each) => each.find(projectId, ['expired'])),
    );

    const { access_token: fresh } = await valueOf(connection);
    expect(await provider.ask('count')).toBe(before + 1);
    expect(found.map((each) => (each.get('expired')?.value as OAuth2Value).access_token)).toEqual([fresh, fresh]);
  });

  it('are in error with a reason once the provider refuses for good, until they are replaced', async () => {
    const connection = await connected('revoked');
    await age(connection, 10);
    await provider.ask('revoke');

    const found = (await anotherProcess().find(projectId, ['revoked'])).get('revoked');

    const reason = 'The token endpoint answered 400 invalid_grant.';
    expect(found).toEqual({ id: connection.id, problem: reason });
    const service = app.get(ConnectionsService, { strict: false });
    expect(await service.read(principal, connection.id)).toMatchObject({
      status: 'ERROR',
      statusReason: reason,
      flows: [],
    });
    expect(await service.test(principal, connection.id)).toEqual({ ok: false, message: reason });
    expect(await connected('revoked')).toMatchObject({ id: connection.id, status: 'ACTIVE', statusReason: null });
    expect(await service.test(principal, connection.id)).toMatchObject({ ok: true });
  });

  it('get tokens by their own credentials, without a person', async () => {
    const connection = await upsert('machine', { ...clientOf('machine'), grant_type: 'client_credentials' });
    const { access_token: first } = await valueOf(connection);
    await age(connection, -1);

    const found = (await anotherProcess().find(projectId, ['machine'])).get('machine');

    const { access_token: second } = found?.value as OAuth2Value;
    expect([first, second].every((token) => token.length > 20)).toBe(true);
    expect(second).not.toBe(first);
  });
});
