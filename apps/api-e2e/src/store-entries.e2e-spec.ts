import { webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

interface EntryAnswer {
  id: string;
  scopeId: string;
  key: string;
  value: unknown;
}
interface PageAnswer {
  data: EntryAnswer[];
  next: string | null;
}

describe('store entries', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;

  beforeEach(async () => {
    project = await client.createProject('Store');
  });

  const put = (key: string, value: unknown, more: object = {}) =>
    client.request<EntryAnswer>('POST', '/store-entries', {
      projectId: project,
      scope: 'PROJECT',
      key,
      value,
      ...more,
    });
  const list = (query = '') => client.must<PageAnswer>('GET', `/store-entries?projectId=${project}${query}`);
  const remove = (query: string) => client.request('DELETE', `/store-entries?projectId=${project}${query}`);

  it.each([
    [{ a: [1, null] }],
    ['text'],
    ['null'],
    [7],
    [0],
    [false],
    [[]],
    [''],
    [JSON.parse('{"constructor":1,"__proto__":{"a":2}}')],
  ])('keep %j and give it back as it was', async (value) => {
    const made = await put('k', value);
    expect(made).toMatchObject({
      status: 201,
      body: { projectId: project, scope: 'PROJECT', scopeId: project, value },
    });
    expect(await list()).toEqual({ data: [made.body], next: null, previous: null });
  });

  it('are replaced, and removed', async () => {
    const first = await put('k', 1);
    const second = await put('k', 2);
    expect(second).toMatchObject({ status: 200, body: { id: first.body.id, value: 2 } });

    expect((await remove('&scope=PROJECT&key=k')).status).toBe(204);
    expect((await remove('&scope=PROJECT&key=k')).status).toBe(204);
    expect((await list()).data).toEqual([]);
    expect((await put('k', 3)).status).toBe(201);
  });

  it('of a project, a flow and a run are apart', async () => {
    const flow = await client.publishFlow(project, 'Stored', webhookTrigger([]));
    const run = (await client.sendWebhook(flow.id, {})).body.id;
    await put('k', 'project');
    await put('k', 'flow', { scope: 'FLOW', scopeId: flow.id });
    await put('k', 'run', { scope: 'RUN', scopeId: run });
    const values = async (query: string) => (await list(query)).data.map(({ value }) => value);

    expect(await values('')).toEqual(['run', 'flow', 'project']);
    expect(await values('&scope=FLOW')).toEqual(['flow']);
    expect(await values(`&scope=RUN&scopeId=${run}&key=k`)).toEqual(['run']);
    expect(await values('&key=other')).toEqual([]);
    expect(await values('&scopeId=none')).toEqual([]);

    expect((await remove(`&scope=FLOW&scopeId=${flow.id}&key=k`)).status).toBe(204);
    expect(await values('')).toEqual(['run', 'project']);
  });

  it('are listed newest first, page by page', async () => {
    for (const key of ['one', 'two', 'three']) await put(key, key);
    const first = await list('&limit=2');
    expect(first.data.map(({ key }) => key)).toEqual(['three', 'two']);
    expect((await list(`&limit=2&cursor=${first.next}`)).data.map(({ key }) => key)).toEqual(['one']);
  });

  it('need a flow or a run of the same project', async () => {
    const other = await client.createProject('Other');
    const foreign = await client.createFlow(other, 'Foreign');
    expect(await put('k', 1, { scope: 'FLOW', scopeId: foreign.id })).toMatchObject({
      status: 404,
      body: { code: 'ENTITY_NOT_FOUND', params: { entityType: 'flow', entityId: foreign.id } },
    });
    expect(await put('k', 1, { scope: 'RUN', scopeId: 'nope' })).toMatchObject({
      status: 404,
      body: { params: { entityType: 'flow_run', entityId: 'nope' } },
    });
    expect((await list()).data).toEqual([]);
  });

  it('of another project are out of reach', async () => {
    await put('k', 'private');
    const other = await client.createProject('Other');
    const key = await client.must<{ value: string }>('POST', '/api-keys', { displayName: 'K', projectId: other });
    const stranger = client.withToken(key.value);
    const refused = { status: 403, body: { code: 'AUTHORIZATION' } };

    expect(await stranger.request('GET', `/store-entries?projectId=${project}`)).toMatchObject(refused);
    const body = { projectId: project, scope: 'PROJECT', key: 'k', value: 'taken' };
    expect(await stranger.request('POST', '/store-entries', body)).toMatchObject(refused);
    const place = `projectId=${project}&scope=PROJECT&key=k`;
    expect(await stranger.request('DELETE', `/store-entries?${place}`)).toMatchObject(refused);
    expect((await stranger.must<PageAnswer>('GET', '/store-entries')).data).toEqual([]);
    expect((await list()).data.map(({ value }) => value)).toEqual(['private']);
  });

  it.each<[string, object, string]>([
    ['no key', { key: undefined }, '/key'],
    ['an empty key', { key: '' }, '/key'],
    ['a long key', { key: 'x'.repeat(129) }, '/key'],
    ['no value', { value: undefined }, '/value'],
    ['null', { value: null }, '/value'],
    ['an unknown scope', { scope: 'WORLD' }, '/scope'],
    ['a flow that is not named', { scope: 'FLOW' }, '/scopeId'],
    ['another project in the scope', { scopeId: 'x' }, '/scopeId'],
    ['an unknown field', { colour: 'red' }, '/colour'],
  ])('are refused with %s', async (_what, more, path) => {
    const answer = await put('k', 1, more);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION' } });
    const { errors } = (answer.body as unknown as { params: { errors: { path: string }[] } }).params;
    expect(errors.map((error) => error.path)).toContain(path);
  });
});
