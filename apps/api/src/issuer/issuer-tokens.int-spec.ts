import { ProjectMemberRepository, UserRepository, type User } from '@millrace/domain';
import { anId, HandDrivenClock } from '@millrace/domain/testing';
import { createTestDatabase, type TestDatabase } from '@millrace/persistence/testing';
import { generateKeyPair, SignJWT } from 'jose';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'pg';
import { LiveAccess } from '../live/live-access';
import { ApiOfUsers, FIRST_EMAIL, FIRST_KEY, FIRST_PASSWORD } from '../testing/api-of-users';
import { OpenIdProvider } from '../testing/openid-provider';

const AUDIENCE = 'https://flows.example/api';
const HOUR_MS = 3_600_000;

describe('access tokens of the configured issuer', () => {
  let provider: OpenIdProvider;
  let database: TestDatabase;
  let api: ApiOfUsers;
  const clock = new HandDrivenClock(new Date());
  const undo: (() => unknown)[] = [];

  const startApi = async (settings: Record<string, string> = {}, now = clock): Promise<ApiOfUsers> => {
    const oauth = { SVC_OAUTH_ISSUER: provider.issuer, SVC_OAUTH_AUDIENCE: AUDIENCE };
    const started = await ApiOfUsers.start({
      databaseUrl: database.url,
      settings: { ...oauth, ...settings },
      clock: now,
    });
    undo.push(() => started.stop());
    return started;
  };
  beforeAll(async () => {
    [provider, database] = await Promise.all([OpenIdProvider.start(), createTestDatabase()]);
    api = await startApi();
  });
  afterAll(async () => {
    for (const each of undo.reverse()) await each();
    provider.stop();
    await database.drop();
  });

  const aUser = async (email: string): Promise<User> => {
    const names = { firstName: 'A', lastName: 'B', platformRole: 'MEMBER' as const, passwordHash: 'x' };
    const user: User = { id: anId(), email, ...names, created: new Date() };
    await api.app.get(UserRepository, { strict: false }).insert(user);
    return user;
  };
  const refusal = (message: string) => ({
    status: 401,
    body: {
      statusCode: 401,
      code: 'INVALID_BEARER_TOKEN',
      params: { message: expect.stringContaining(message) as string },
    },
  });

  it('are accepted of the user with the verified address, in the API and for live updates', async () => {
    const grace = await aUser('Grace@Provider.test');
    const token = await provider.accessTokenOf('grace', AUDIENCE);

    expect(await api.me(token)).toMatchObject({ status: 200, body: { id: grace.id, platformRole: 'MEMBER' } });
    const pool = api.app.get(Pool, { strict: false });
    const projectId = anId();
    await pool.query(
      `insert into project (id, display_name, owner_id, created, updated) values ($1, 'P', $2, now(), now())`,
      [projectId, grace.id],
    );
    const open = () => api.app.get(LiveAccess, { strict: false }).open({ token, projectId });
    await expect(open()).rejects.toMatchObject({ code: 'AUTHORIZATION' });
    const now = new Date();
    const member = { id: anId(), projectId, userId: grace.id, role: 'VIEWER' as const, created: now, updated: now };
    await api.app.get(ProjectMemberRepository, { strict: false }).add(member);
    await expect(open()).resolves.toMatchObject({ projectId, principal: { kind: 'user', userId: grace.id } });
  });

  it('are of the same user from then on, whatever address the issuer tells, and are told in the audit log', async () => {
    const linus = await aUser('linus@provider.test');
    const token = await provider.accessTokenOf('linus', AUDIENCE);
    await Promise.all([api.me(token), api.me(token), api.me(token)]);

    const pool = api.app.get(Pool, { strict: false });
    await pool.query(`update app_user set email = 'somebody@else.test' where id = $1`, [linus.id]);

    expect((await api.me(token)).body).toMatchObject({ id: linus.id });
    const { rows } = await pool.query(
      `select actor, details from audit_event where action = 'user.identity_linked' and target_id = $1`,
      [linus.id],
    );
    expect(rows).toEqual([{ actor: linus.id, details: { issuer: provider.issuer, subject: 'linus' } }]);
  });

  it('do not take over a user who has another identity of the issuer', async () => {
    const barbara = await aUser('barbara@provider.test');
    const identity = { issuer: provider.issuer, subject: 'the first barbara' };
    await api.app.get(UserRepository, { strict: false }).linkIdentity(barbara.id, identity);

    expect(await api.me(await provider.accessTokenOf('barbara', AUDIENCE))).toMatchObject(refusal('no user'));
  });

  it('are refused of nobody, of an address that is not verified, and of a client without a person', async () => {
    await aUser('unverified@provider.test');
    const machine = { grant_type: 'client_credentials', client_id: 'machine', resource: AUDIENCE, scope: 'read' };
    for (const token of [
      await provider.accessTokenOf('nobody', AUDIENCE),
      await provider.accessTokenOf('unverified', AUDIENCE),
      await provider.token(machine),
    ])
      expect(await api.me(token)).toMatchObject(refusal('no user'));
  });

  it('are of the user to whom an administrator has linked their subject', async () => {
    const machine = await aUser('machine@else.test');
    const other = await aUser('other@else.test');
    const asked = { grant_type: 'client_credentials', client_id: 'machine', resource: AUDIENCE, scope: 'read' };
    const token = await provider.token(asked);
    const identityOf = ({ id }: User) => `/users/${id}/identity`;
    const link = (user: User, credential = FIRST_KEY) =>
      api.request(credential, 'POST', identityOf(user), { subject: 'machine' });

    const linked = { issuer: provider.issuer, subject: 'machine' };
    expect(await link(machine)).toMatchObject({ status: 201, body: linked });
    expect(await api.me(token)).toMatchObject({ status: 200, body: { id: machine.id } });
    expect(await link(other, token)).toMatchObject({ status: 403, body: { code: 'PERMISSION_DENIED' } });
    expect(await link(other)).toMatchObject({ status: 409, body: { code: 'ENTITY_EXISTS' } });
    expect(await api.request(FIRST_KEY, 'GET', identityOf(machine))).toMatchObject({ status: 200, body: linked });
    expect((await api.request(FIRST_KEY, 'DELETE', identityOf(machine))).status).toBe(204);
    expect(await api.me(token)).toMatchObject(refusal('no user'));
    expect((await api.request(FIRST_KEY, 'GET', identityOf(machine))).body).toEqual({ issuer: null, subject: null });
  });

  it('are linked to an administrator by a person and not by a key, which would end before the link', async () => {
    const me = await api.me(FIRST_KEY);
    const path = `/users/${String(me.body?.['id'])}/identity`;

    const byKey = await api.request(FIRST_KEY, 'POST', path, { subject: 'root' });
    expect(byKey).toMatchObject({ status: 403, body: { code: 'PERMISSION_DENIED' } });
    const credentials = { email: FIRST_EMAIL, password: FIRST_PASSWORD };
    const signedIn = await api.request('', 'POST', '/authentication/sign-in', credentials);
    const byPerson = await api.request(String(signedIn.body?.['token']), 'POST', path, { subject: 'ada' });
    expect(byPerson).toMatchObject({ status: 201 });
    expect(await api.me(await provider.accessTokenOf('ada', AUDIENCE))).toMatchObject({
      body: { id: me.body?.['id'] },
    });
  });

  it('find nobody by an address while everybody may sign up with any', async () => {
    await aUser('edsger@provider.test');
    const open = await startApi({ SVC_SIGN_UP_ENABLED: 'true' });
    const token = await provider.accessTokenOf('edsger', AUDIENCE);

    expect(await open.me(token)).toMatchObject(refusal('no user'));
    expect(await api.me(token)).toMatchObject({ status: 200 });
    expect(await open.me(token)).toMatchObject({ status: 200 });
  });

  it('are refused of a user who was deleted', async () => {
    const alan = await aUser('alan@provider.test');
    const token = await provider.accessTokenOf('alan', AUDIENCE);
    expect((await api.me(token)).status).toBe(200);

    await api.app.get(UserRepository, { strict: false }).delete(alan.id, new Date());

    expect(await api.me(token)).toMatchObject(refusal('no user'));
  });

  it('are refused when they are for another audience, have expired, were altered, or are of another issuer', async () => {
    const token = await provider.accessTokenOf('ada', AUDIENCE);
    const [header, claims, signature] = token.split('.') as [string, string, string];
    const altered = Buffer.from(Buffer.from(claims, 'base64url').toString().replace('"ada"', '"eve"')).toString(
      'base64url',
    );
    const { privateKey } = await generateKeyPair('RS256');
    const foreign = new SignJWT({ iss: 'https://other.example', aud: AUDIENCE, sub: 'ada' }).setExpirationTime('1h');
    const later = await startApi({}, new HandDrivenClock(new Date(Date.now() + 2 * HOUR_MS)));

    expect((await api.me(token)).status).toBe(200);
    expect(await api.me(await provider.accessTokenOf('ada', 'https://other.example'))).toMatchObject(
      refusal('audience'),
    );
    expect(await later.me(token)).toMatchObject(refusal('expired'));
    expect(await api.me([header, altered, signature].join('.'))).toMatchObject(refusal('signature'));
    expect(await api.me(await foreign.setProtectedHeader({ alg: 'RS256' }).sign(privateKey))).toMatchObject(
      refusal('not ours'),
    );
    expect(await api.me(`${token}${'x'.repeat(8_192)}`)).toMatchObject(refusal('malformed'));
  });

  describe('whose server does not answer', () => {
    let silent: Server;
    let asked = 0;
    const tokenOf = async (issuer: string): Promise<string> => {
      const { privateKey } = await generateKeyPair('ES256');
      const token = new SignJWT({ iss: issuer, aud: AUDIENCE, sub: 'ada' }).setExpirationTime('1h');
      return token.setProtectedHeader({ alg: 'ES256', kid: 'x' }).sign(privateKey);
    };
    const away = {
      status: 503,
      body: { code: 'SERVICE_UNAVAILABLE', params: { message: expect.stringContaining('issuer') as string } },
    };

    beforeAll(async () => {
      silent = createServer(() => void asked++).listen(0, '127.0.0.1');
      await once(silent, 'listening');
      undo.push(
        () => silent.close(),
        () => silent.closeAllConnections(),
      );
    });

    it('are answered with 503 and when to come back, and nobody else waits', async () => {
      const issuer = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
      const waiting = await startApi({ SVC_OAUTH_ISSUER: issuer });
      const token = await tokenOf(issuer);
      const asking = once(silent, 'request');
      const answers = Promise.all(Array.from({ length: 20 }, () => waiting.me(token)));
      await asking;

      const credentials = { email: FIRST_EMAIL, password: FIRST_PASSWORD };
      const signedIn = await waiting.request('', 'POST', '/authentication/sign-in', credentials);
      expect([signedIn.status, (await waiting.me(FIRST_KEY)).status]).toEqual([200, 200]);
      silent.closeAllConnections();

      for (const answer of await answers) {
        expect(answer).toMatchObject(away);
        expect(answer.headers.get('retry-after')).toBe('10');
      }
      expect(asked).toBe(1);
    });

    it('are answered with 503 when there is no server at all', async () => {
      const gone = createServer().listen(0, '127.0.0.1');
      await once(gone, 'listening');
      const issuer = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`;
      gone.close();

      expect(await (await startApi({ SVC_OAUTH_ISSUER: issuer })).me(await tokenOf(issuer))).toMatchObject(away);
    });
  });
});
