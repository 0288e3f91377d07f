import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

interface PieceAnswer {
  name: string;
  version: string;
  triggers: Record<string, { props: Record<string, { kind: string; required: boolean }> }>;
  actions: Record<string, { requiresAuth: boolean; props: Record<string, { kind: string; required: boolean }> }>;
}

describe('pieces', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  const options = (request: object) =>
    client.request<{ options?: { label: string; value: unknown }[] }>('POST', '/pieces/options', request);
  const authTypes = { pieceName: 'webhook', name: 'catch_webhook', propName: 'authType' };

  it('are listed with their triggers, actions and inputs', async () => {
    const page = await client.must<{ data: PieceAnswer[] }>('GET', '/pieces?limit=100');
    expect(page).toMatchObject({ next: null, previous: null });
    const names = page.data.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        ...['webhook', 'http', 'store', 'data_mapper', 'flow_control', 'smtp'],
        ...['delay', 'approval', 'human_input', 'subflows'],
      ]),
    );
    expect(new Set(names).size).toBe(names.length);
    const http = page.data.find(({ name }) => name === 'http');
    expect(http).toMatchObject({ category: 'NETWORK', keywords: expect.arrayContaining(['api', 'request']) });
    expect(http?.actions['send_request']?.props).toMatchObject({ url: { kind: 'text', required: true } });
    expect(page.data.find(({ name }) => name === 'smtp')?.actions['send_email']?.requiresAuth).toBe(true);
  });

  it('are listed a page at a time, to who has a role in the named project', async () => {
    const projectId = await client.createProject('Pieces');
    const list = (query: string) =>
      client.must<{ data: PieceAnswer[]; next: string | null }>(
        'GET',
        `/pieces?limit=2&projectId=${projectId}${query}`,
      );
    const first = await list('');
    const second = await list(`&cursor=${first.next}`);
    const names = [...first.data, ...second.data].map(({ name }) => name);
    expect([first.data.length, new Set(names).size]).toEqual([2, 4]);

    for (const query of ['limit=x', 'cursor=x', 'colour=red'])
      expect(await client.request('GET', `/pieces?${query}`)).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION' },
      });
    const key = await client.must<{ value: string }>('POST', '/api-keys', { displayName: 'x', projectId });
    const foreign = await client.createProject('Foreign');
    expect(await client.withToken(key.value).request('GET', `/pieces?projectId=${foreign}`)).toMatchObject({
      status: 403,
      body: { code: 'AUTHORIZATION' },
    });
  });

  it.each(['http', encodeURIComponent('@activepieces/piece-http')])('are read by the name %s', async (name) => {
    const { data } = await client.must<{ data: PieceAnswer[] }>('GET', '/pieces?limit=100');
    const read = await client.request('GET', `/pieces/${name}`);
    expect(read).toMatchObject({ status: 200, body: { name: 'http' } });
    expect(read.body).toEqual(data.find((piece) => piece.name === 'http'));
  });

  it.each(['nothing', '__proto__', 'constructor', '%00'])('are unknown under the name %s', async (name) => {
    expect(await client.request('GET', `/pieces/${name}`)).toMatchObject({
      status: 404,
      body: { code: 'ENTITY_NOT_FOUND', params: { entityType: 'piece', entityId: decodeURIComponent(name) } },
    });
  });

  it('are shown to nobody without credentials', async () => {
    const nobody = client.withToken(null);
    expect((await nobody.request('GET', '/pieces')).status).toBe(401);
    expect((await nobody.request('GET', '/pieces/http')).status).toBe(401);
    expect((await nobody.request('POST', '/pieces/options', authTypes)).status).toBe(401);
  });

  it('say what there is to choose from, and what is like a word', async () => {
    const all = await options(authTypes);
    expect(all.status).toBe(200);
    expect(all.body.options?.map(({ value }) => value)).toEqual(expect.arrayContaining(['none', 'basic', 'hmac']));

    const [basic] = (await options({ ...authTypes, searchValue: 'BASIC' })).body.options ?? [];
    expect(basic).toMatchObject({ value: 'basic' });
    expect((await options({ ...authTypes, searchValue: 'no such choice' })).body).toEqual({ options: [] });
  });

  it('say which further inputs one stands for, given the others', async () => {
    const authFields = { pieceName: 'http', name: 'send_request', propName: 'authFields' };
    const propsFor = async (authType: string) => (await options({ ...authFields, input: { authType } })).body;
    expect(await propsFor('basic')).toMatchObject({
      props: { username: { kind: 'text' }, password: { isSecret: true } },
    });
    expect(await propsFor('none')).toEqual({ props: {} });
  });

  it.each<[string, object, number, string]>([
    ['an unknown trigger', { name: 'nothing' }, 400, '/name'],
    ['an inherited name', { name: 'constructor' }, 400, '/name'],
    ['an unknown input', { propName: 'nothing' }, 400, '/propName'],
    ['no input named', { propName: undefined }, 400, '/propName'],
    ['an input that is no object', { input: [] }, 400, '/input'],
    ['a version that is no text', { pieceVersion: 1 }, 400, '/pieceVersion'],
    ['an unknown field', { colour: 'red' }, 400, '/colour'],
  ])('refuse to give options for %s', async (_what, more, status, path) => {
    const answer = await options({ ...authTypes, ...more });
    expect(answer).toMatchObject({ status, body: { code: 'VALIDATION' } });
    const { errors } = (answer.body as unknown as { params: { errors: { path: string }[] } }).params;
    expect(errors.map((error) => error.path)).toContain(path);
  });

  it('that are unknown have no options', async () => {
    expect(await options({ ...authTypes, pieceName: 'nothing' })).toMatchObject({
      status: 404,
      body: { params: { entityType: 'piece', entityId: 'nothing' } },
    });
  });
});
