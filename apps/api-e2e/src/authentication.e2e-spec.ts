import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { endOfWorker, secretsIn, ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

interface SignedIn {
  token: string;
  projectId: string;
  email: string;
}

describe('authentication', () => {
  const service = serviceUnderTest();
  const anyone = new ServiceClient(service.baseUrl, null);
  let signedIn: SignedIn;

  beforeAll(async () => {
    const credentials = { email: service.adminEmail.toUpperCase(), password: service.adminPassword };
    signedIn = await anyone.must<SignedIn>('POST', '/authentication/sign-in', credentials);
  });

  const me = (token: string | null) =>
    anyone.withToken(token).request<{ email: string; code: string }>('GET', '/users/me');
  const changed = (part: 0 | 1, change: (claims: Record<string, unknown>) => object): string => {
    const parts = signedIn.token.split('.');
    const claims = JSON.parse(Buffer.from(parts[part] as string, 'base64url').toString()) as Record<string, unknown>;
    parts[part] = Buffer.from(JSON.stringify(change(claims))).toString('base64url');
    return parts.join('.');
  };

  it('gives a token for e-mail and password, whatever the case of the address', async () => {
    expect(signedIn).toMatchObject({
      platformRole: 'ADMIN',
      firstName: expect.any(String),
      projectId: expect.any(String),
    });
    expect((await me(signedIn.token)).body).toMatchObject({ email: signedIn.email });
  });

  it('answers an unknown user and a wrong password alike', async () => {
    const refused = (email: string) =>
      anyone.request<object>('POST', '/authentication/sign-in', { email, password: 'not-the-password' });
    const unknown = await refused(`${randomUUID()}@millrace.test`);
    const wrong = await refused(service.adminEmail);
    expect(unknown).toMatchObject({ status: 401, body: { code: 'INVALID_CREDENTIALS' } });
    expect(wrong.body).toEqual(unknown.body);
  });

  it('limits attempts per account, and says when to come back', async () => {
    const body = { email: `${randomUUID()}@millrace.test`, password: 'not-the-password' };
    for (let attempt = 0; attempt < 10; attempt++)
      expect((await anyone.request('POST', '/authentication/sign-in', body)).status).toBe(401);

    const answer = await anyone.request('POST', '/authentication/sign-in', body);

    expect(answer).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    const state = ['limit', 'remaining', 'reset'].map((name) => Number(answer.headers.get(`ratelimit-${name}`)));
    expect(state).toEqual([10, 0, Number(answer.headers.get('retry-after'))]);
  });

  it.each([
    ['a list', { email: ['a@b.c'], password: ['x'] }],
    ['operators', { email: { $ne: null }, password: { $ne: null } }],
    ['a password of 5,000 characters', { email: 'a@b.c', password: 'x'.repeat(5_000) }],
    ['nothing', {}],
  ])('refuses %s as malformed', async (_what, body) =>
    expect((await anyone.request('POST', '/authentication/sign-in', body)).status).toBe(400),
  );

  it('is needed for everything but health, documentation and signing in', async () => {
    for (const path of ['/flows/x', '/flow-runs', '/projects', '/api-keys', '/users/me'])
      expect(await anyone.request('GET', path)).toMatchObject({ status: 401, body: { code: 'AUTHENTICATION' } });
    expect((await anyone.request('GET', '/health/live')).status).toBe(200);
    expect((await anyone.request('GET', '/openapi.json')).body).toMatchObject({ openapi: '3.1.0' });
  });

  it.each(['/flows/', '//flows', '/%66lows/x', '/flows;x=1', '/./projects', '/projects?api_key=sk-x'])(
    'is not got round by the path %s',
    async (path) => expect([401, 404, 400, 405]).toContain((await anyone.request('GET', path)).status),
  );

  it.each([
    ['no algorithm', () => changed(0, (header) => ({ ...header, alg: 'none' }))],
    ['a key of its own', () => changed(0, (header) => ({ ...header, jwk: {} }))],
    ['another kid', () => changed(0, (header) => ({ ...header, kid: '../../dev/null' }))],
    ['another subject', () => changed(1, (claims) => ({ ...claims, sub: randomUUID() }))],
    ['no signature', () => signedIn.token.split('.').slice(0, 2).join('.') + '.'],
    ['a signature by an empty secret', () => resigned(signedIn.token)],
    ['no form at all', () => 'nonsense'],
  ])('refuses a token with %s', async (_what, token) =>
    expect(await me(token())).toMatchObject({ status: 401, body: { code: 'INVALID_BEARER_TOKEN' } }),
  );
});

describe('workers', () => {
  const service = serviceUnderTest();
  const admin = new ServiceClient(service.baseUrl, service.adminApiKey);
  const stores = service.stores();
  const { workerToken } = secretsIn(stores['SVC_DATA_DIR'] ?? '');

  it('register by their token, and administrators see them', async () => {
    const listed = async () =>
      (await admin.must<{ data: { pieceIsolation: string[] | null }[] }>('GET', '/worker-machines')).data;
    // A worker tells of its walls when its start is over.
    while (!(await listed()).some(({ pieceIsolation }) => pieceIsolation)) await pause(100);
    expect(await listed()).toContainEqual({
      id: expect.any(String),
      hostname: hostname(),
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      queue: stores['SVC_REDIS_URL'] ? 'REDIS' : 'POSTGRESQL',
      concurrency: 50,
      pieceIsolation: expect.any(Array),
      status: 'ONLINE',
      created: expect.any(String),
      lastHeartbeat: expect.any(String),
    });
  });

  it('are told the settings that they share with the api, and no secrets', async () => {
    const worker = admin.withToken(workerToken);
    const profile = { id: randomUUID(), hostname: 'visitor', version: '0.1.0', queue: 'REDIS', concurrency: 1 };
    const { status, body } = await worker.request<{ settings: object }>('POST', '/worker-machines', profile);
    expect([status, body]).toMatchObject([
      200,
      {
        heartbeatSeconds: 10,
        settings: { SVC_FLOW_TIMEOUT_SECONDS: '600' },
        queue: expect.stringMatching(/^(POSTGRESQL|REDIS)$/),
      },
    ]);
    expect(Object.keys(body.settings).filter((name) => /KEY|TOKEN|SECRET|PASSWORD|DATABASE/.test(name))).toEqual([]);
    expect((await worker.request('GET', '/worker-machines')).status).toBe(401);
  });

  it.each([
    ['SVC_WORKER_TOKEN', randomBytes(32).toString('base64url')],
    ['SVC_WORKER_TOKEN', 'short'],
    ['SVC_ENCRYPTION_KEY', randomBytes(32).toString('hex')],
  ])('stop with a message that names %s when it is wrong', async (name, value) => {
    const good = { ...stores, SVC_API_URL: service.baseUrl, SVC_WORKER_TOKEN: workerToken };
    const { exitCode, said } = await endOfWorker({ ...good, [name]: value });
    expect(said).toMatch(new RegExp(`^${name}.*`));
    expect(said).not.toContain(value);
    expect(exitCode).toBe(78);
  });
});

function resigned(token: string): string {
  const signed = token.split('.').slice(0, 2).join('.');
  return `${signed}.${createHmac('sha256', '').update(signed).digest('base64url')}`;
}
