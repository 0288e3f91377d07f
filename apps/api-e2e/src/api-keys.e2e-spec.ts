import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

interface ApiKey {
  id: string;
  value: string;
  lastFour: string;
}

describe('API keys', () => {
  const service = serviceUnderTest();
  const admin = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;

  beforeAll(async () => {
    project = await admin.createProject('Keys');
  });

  const make = (body: object = {}) =>
    admin.must<ApiKey>('POST', '/api-keys', { displayName: 'A key', projectId: project, ...body });

  it('show their secret once and never their hash', async () => {
    const made = await make();
    expect(made.value).toMatch(/^sk-[A-Za-z0-9_-]{43}$/);
    expect(made.lastFour).toBe(made.value.slice(-4));

    const listed = await admin.withToken(made.value).must<{ data: object[] }>('GET', '/api-keys');

    expect(listed.data).toEqual([
      expect.objectContaining({ id: made.id, lastFour: made.lastFour, projectId: project }),
    ]);
    expect(JSON.stringify(listed)).not.toContain(made.value);
    expect(listed.data[0]).not.toHaveProperty('hash');
  });

  it('are listed a page at a time, for one project, and refuse what a list does not know', async () => {
    const crowd = await admin.createProject('Many keys');
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.unshift((await make({ projectId: crowd })).id);
    const list = (query: string) =>
      admin.must<{ data: ApiKey[]; next: string | null }>('GET', `/api-keys?projectId=${crowd}&limit=2${query}`);

    const first = await list('');
    const second = await list(`&cursor=${first.next}`);
    expect([first, second].map(({ data }) => data.map(({ id }) => id))).toEqual([ids.slice(0, 2), ids.slice(2)]);

    for (const query of ['limit=0', 'limit=x', 'cursor=x', 'colour=red'])
      expect(await admin.request('GET', `/api-keys?${query}`)).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION' },
      });
    const holder = admin.withToken((await make()).value);
    expect((await holder.request('GET', `/api-keys?projectId=${crowd}`)).body).toMatchObject({ code: 'AUTHORIZATION' });
  });

  it('are told their project where their role does not suffice, also of requests that name none', async () => {
    const viewer = admin.withToken((await make({ role: 'VIEWER' })).value);
    const option = { pieceName: '@millrace/piece-slack', name: 'send_message', propName: 'channel' };
    const requests = [
      ['GET', '/api-keys', undefined, 'WRITE_API_KEY'],
      ['GET', '/audit-events', undefined, 'READ_AUDIT'],
      ['POST', '/projects', { displayName: 'x' }, 'WRITE_PROJECT'],
      ['DELETE', '/files', { ids: ['x'] }, 'WRITE_RUN'],
      ['POST', '/pieces/options', option, 'WRITE_FLOW'],
    ] as const;
    for (const [method, path, body, permission] of requests)
      expect(await viewer.request(method, path, body)).toMatchObject({
        status: 403,
        body: { code: 'PERMISSION_DENIED', params: { projectId: project, permission } },
      });
  });

  it('stop working at once when revoked', async () => {
    const { id, value } = await make();
    const holder = admin.withToken(value);
    expect((await holder.request('GET', '/projects')).status).toBe(200);

    expect((await admin.request('DELETE', `/api-keys/${id}`)).status).toBe(204);

    expect(await holder.request('GET', '/projects')).toMatchObject({ status: 401, body: { code: 'INVALID_API_KEY' } });
    expect((await admin.request('DELETE', `/api-keys/${id}`)).body).toMatchObject({
      params: { entityType: 'api_key' },
    });
  });

  it('are refused when unknown, cut off, or two at once', async () => {
    const { value } = await make();
    for (const token of [`${value}x`, value.slice(0, 20), `sk-${'a'.repeat(43)}`])
      expect((await admin.withToken(token).request('GET', '/projects')).body).toMatchObject({
        code: 'INVALID_API_KEY',
      });
    expect((await admin.withToken(`${value}, Bearer ${value}`).request('GET', '/projects')).status).toBe(401);
  });

  it('cannot expire in the past', async () => {
    const body = { displayName: 'x', projectId: project, expiresAt: '2020-01-01T00:00:00.000Z' };
    expect((await admin.request('POST', '/api-keys', body)).status).toBe(400);
  });

  it.each(['2999-W01', '2999-327', '2999-01-01T10,5'])('cannot expire at %s, which is no moment', async (expiresAt) => {
    const body = { displayName: 'x', projectId: project, expiresAt };
    expect(await admin.request('POST', '/api-keys', body)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION', params: { errors: [{ path: '/expiresAt' }] } },
    });
  });

  it('make no keys beyond themselves, and take along what they have made', async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const later = new Date(Date.now() + 7_200_000).toISOString();
    const parent = await make({ expiresAt: soon });
    const holder = admin.withToken(parent.value);
    const body = { displayName: 'Child', projectId: project };
    expect((await holder.request('POST', '/api-keys', { ...body, expiresAt: later })).status).toBe(400);
    const child = await holder.must<ApiKey & { expiresAt: string }>('POST', '/api-keys', body);
    expect(child).toMatchObject({ expiresAt: soon, madeByKeyId: parent.id });
    const grandchild = await admin
      .withToken(child.value)
      .must<ApiKey>('POST', '/api-keys', { ...body, role: 'VIEWER' });
    const invitation = { email: 'guest@millrace.test', projectId: project, role: 'VIEWER' };
    await admin.withToken(child.value).must('POST', '/user-invitations', invitation);
    const invitations = async () =>
      (await admin.must<{ data: object[] }>('GET', `/user-invitations?projectId=${project}`)).data.length;
    expect(await invitations()).toBe(1);
    expect((await admin.withToken(grandchild.value).request('POST', '/api-keys', body)).status).toBe(403);
    const made = await admin.must<{ data: ApiKey[] }>('GET', `/api-keys?madeByKeyId=${parent.id}`);
    expect(made.data.map(({ id }) => id)).toEqual([child.id]);

    await admin.must('DELETE', `/api-keys/${parent.id}`);

    for (const { value } of [parent, child, grandchild])
      expect((await admin.withToken(value).request('GET', '/projects')).status).toBe(401);
    expect(await invitations()).toBe(0);
  });

  it('of a project make keys of that project only', async () => {
    const other = await admin.createProject('Other');
    const holder = admin.withToken((await make()).value);
    expect(await holder.must('POST', '/api-keys', { displayName: 'x' })).toMatchObject({ projectId: project });
    expect((await holder.request('POST', '/api-keys', { displayName: 'x', projectId: other })).status).toBe(403);
  });
});
