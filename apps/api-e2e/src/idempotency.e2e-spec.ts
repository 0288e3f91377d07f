import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';
import { randomUUID } from 'node:crypto';

interface Named {
  id: string;
  displayName: string;
}

const REPLAYED = 'idempotent-replayed';

describe('Idempotency-Key', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let projectId: string;

  beforeAll(async () => {
    projectId = await client.createProject('Idempotency');
  });

  const post = (path: string, body: unknown, key: string, as = client) =>
    as.request<Named>('POST', path, body, { 'idempotency-key': key });
  const folders = async (named: string) => {
    const page = await client.must<{ data: Named[] }>('GET', `/folders?projectId=${projectId}&limit=100`);
    return page.data.filter(({ displayName }) => displayName === named);
  };

  it('makes one folder of many requests, and gives the first answer again with its status and the mark of a replay', async () => {
    const [key, displayName] = [randomUUID(), randomUUID()];
    const first = await post('/folders', { displayName, projectId }, key);
    const second = await post('/folders', { displayName, projectId }, key);

    expect(first.status).toBe(201);
    expect(first.headers.get(REPLAYED)).toBeNull();
    expect(second).toMatchObject({ status: 201, body: first.body });
    expect(second.headers.get(REPLAYED)).toBe('true');
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    expect(await folders(displayName)).toHaveLength(1);
  });

  it('replays to the last byte, entity tag included', async () => {
    const key = randomUUID();
    const send = () =>
      fetch(`${service.baseUrl}/api/v1/flows`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${service.adminApiKey}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify({ displayName: 'ü 😀 \u2028', projectId, metadata: { b: 1, a: 2.5 } }),
      });
    const [first, second] = [await send(), await send()];

    expect(second.headers.get(REPLAYED)).toBe('true');
    expect(await second.text()).toBe(await first.text());
    for (const name of ['content-type', 'etag']) {
      expect(first.headers.get(name)).toBeTruthy();
      expect(second.headers.get(name)).toBe(first.headers.get(name));
    }
  });

  it('lets one of many requests at once have its effect', async () => {
    const [key, displayName] = [randomUUID(), randomUUID()];
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post('/folders', { displayName, projectId }, key)),
    );

    const created = answers.filter(({ status }) => status === 201);
    expect(created.length).toBeGreaterThan(0);
    expect(created.filter(({ headers }) => headers.get(REPLAYED) === null)).toHaveLength(1);
    expect(new Set(created.map(({ body }) => body.id)).size).toBe(1);
    const others = answers.filter(({ status }) => status !== 201);
    for (const other of others) expect(other).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_IN_PROGRESS' } });
    expect(await folders(displayName)).toHaveLength(1);
  });

  it('refuses another body or another address under a known key', async () => {
    const key = randomUUID();
    await post('/projects', { displayName: 'First' }, key);
    for (const path of ['/projects', '/folders'])
      expect(await post(path, { displayName: randomUUID(), projectId }, key)).toMatchObject({
        status: 422,
        body: { statusCode: 422, code: 'IDEMPOTENCY_KEY_REUSED' },
      });
  });

  it('belongs to the principal: another one may use the same key', async () => {
    const key = randomUUID();
    const other = await client.must<{ value: string }>('POST', '/api-keys', { displayName: 'Other', projectId });
    const first = await post('/folders', { displayName: randomUUID(), projectId }, key);
    const body = { displayName: randomUUID(), projectId };
    const second = await post('/folders', body, key, client.withToken(other.value));

    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.body.id);
  });

  it('is free again after a request that was refused', async () => {
    const key = randomUUID();
    expect((await post('/folders', { projectId }, key)).status).toBe(400);
    expect((await post('/folders', { displayName: randomUUID(), projectId }, key)).status).toBe(201);
  });

  it('applies an operation once, whatever has happened to the flow since', async () => {
    const { id } = await client.createFlow(projectId, 'Once');
    const rename = { type: 'CHANGE_NAME', request: { displayName: 'Renamed' } };
    const key = randomUUID();
    const first = await post(`/flows/${id}`, rename, key);
    await client.must('POST', `/flows/${id}`, { type: 'CHANGE_NAME', request: { displayName: 'Renamed again' } });

    const second = await post(`/flows/${id}`, rename, key);

    expect(second.body).toEqual(first.body);
    const flow = await client.must<{ version: Named }>('GET', `/flows/${id}`);
    expect(flow.version.displayName).toBe('Renamed again');
  });

  it('gives the value of a new API key again, and that key works', async () => {
    const key = randomUUID();
    const body = { displayName: 'Once', projectId };
    const first = await client.request<{ value: string }>('POST', '/api-keys', body, { 'idempotency-key': key });
    const second = await client.request<{ value: string }>('POST', '/api-keys', body, { 'idempotency-key': key });

    expect(second.body.value).toBe(first.body.value);
    expect((await client.withToken(second.body.value).request('GET', '/projects')).status).toBe(200);
  });

  it('means nothing on reads and deletes', async () => {
    const { id } = await client.createFlow(projectId, 'Deleted');
    const header = { 'idempotency-key': randomUUID() };
    await client.request('GET', `/flows/${id}`, undefined, header);
    expect((await client.request('DELETE', `/flows/${id}`, undefined, header)).status).toBe(204);
    expect((await client.request('DELETE', `/flows/${id}`, undefined, header)).status).toBe(404);
  });

  it.each(['', 'with space', 'x'.repeat(256)])('is refused as %.20j', async (key) => {
    const answer = await post('/folders', { displayName: randomUUID(), projectId }, key);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION' } });
    expect(answer.body).toMatchObject({ params: { errors: [{ path: '/idempotency-key' }] } });
  });
});
