import { ApiKeyRepository, type ApiKey } from '@millrace/domain';
import { anId, HandDrivenClock } from '@millrace/domain/testing';
import { createTestDatabase, type TestDatabase } from '@millrace/persistence/testing';
import { Pool } from 'pg';
import { hashOfSecret, newApiKeySecret } from '../auth/secret-tokens';
import { ApiOfUsers, FIRST_KEY } from '../testing/api-of-users';

describe('the limit of requests to the api', () => {
  const clock = new HandDrivenClock(new Date('2026-01-01T12:00:20.000Z'));
  let database: TestDatabase;
  const started: ApiOfUsers[] = [];

  const start = async (settings: Record<string, string>): Promise<ApiOfUsers> => {
    const api = await ApiOfUsers.start({ databaseUrl: database.url, settings, clock });
    started.push(api);
    return api;
  };
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    for (const api of started.splice(0)) await api.stop();
    clock.advance(60_000);
  });
  afterAll(() => database.drop());

  const limitHeaders = ({ headers }: { headers: Headers }) =>
    ['limit', 'remaining', 'reset'].map((name) => headers.get(`ratelimit-${name}`));

  /** Waits until the processes have told each other of so many requests. */
  async function untilTold(api: ApiOfUsers, requests: number): Promise<void> {
    const pool = api.app.get(Pool, { strict: false });
    const told = async () => {
      const { rows } = await pool.query<{ sum: string }>('select coalesce(sum(count), 0) as sum from request_count');
      return Number(rows[0]?.sum);
    };
    while ((await told()) < requests) await new Promise((resolve) => setImmediate(resolve));
  }

  it('tells what is left, answers 429 with when to come back, and is one for all processes', async () => {
    const limit = { SVC_API_RATE_LIMIT_PER_MINUTE: '5' };
    const [one, other] = [await start(limit), await start(limit)];

    const answers = [];
    for (let i = 0; i < 6; i++) answers.push(await one.me(FIRST_KEY));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
    expect(answers.map(limitHeaders)).toEqual(['4', '3', '2', '1', '0', '0'].map((left) => ['5', left, '40']));
    expect(answers[5]).toMatchObject({ body: { statusCode: 429, code: 'RATE_LIMITED' } });
    expect(answers[5]?.headers.get('retry-after')).toBe('40');

    await untilTold(one, 5);
    expect((await other.me(FIRST_KEY)).status).toBe(200); // it learns of the others when it tells its own
    await untilTold(one, 6);
    let admitted = 1;
    while ((await other.me(FIRST_KEY)).status === 200) admitted++;
    expect(admitted).toBeLessThan(5);
  });

  it('of a project is shared by its keys, and does not concern keys of the platform', async () => {
    const api = await start({ SVC_API_RATE_LIMIT_PER_MINUTE_PER_PROJECT: '3' });
    const owner = String((await api.me(FIRST_KEY)).body?.['id']);
    const [projectId, otherId] = [anId(), anId()];
    for (const id of [projectId, otherId])
      await api.app
        .get(Pool, { strict: false })
        .query(
          `insert into project (id, display_name, owner_id, created, updated) values ($1, 'P', $2, now(), now())`,
          [id, owner],
        );
    const [first, second, foreign] = [
      await aKey(api, projectId, owner),
      await aKey(api, projectId, owner),
      await aKey(api, otherId, owner),
    ];

    const left = [await api.me(first), await api.me(second), await api.me(first)].map(limitHeaders);

    expect(left).toEqual(['2', '1', '0'].map((remaining) => ['3', remaining, '40']));
    expect((await api.me(second)).status).toBe(429);
    expect(limitHeaders(await api.me(foreign))).toEqual(['3', '2', '40']);
    expect(limitHeaders(await api.me(FIRST_KEY))).toEqual([null, null, null]);
  });

  async function aKey(api: ApiOfUsers, projectId: string, createdBy: string): Promise<string> {
    const secret = newApiKeySecret();
    const key: ApiKey = {
      id: anId(),
      displayName: 'Key',
      projectId,
      role: 'VIEWER',
      createdBy,
      madeByKeyId: null,
      hash: hashOfSecret(secret),
      lastFour: secret.slice(-4),
      expiresAt: null,
      lastUsedAt: null,
      created: clock.now(),
    };
    await api.app.get(ApiKeyRepository, { strict: false }).insert(key);
    return secret;
  }
});
