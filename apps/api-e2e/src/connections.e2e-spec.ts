import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

interface ConnectionAnswer {
  id: string;
  externalId: string;
  displayName: string;
}
interface PageAnswer {
  data: ConnectionAnswer[];
  next: string | null;
  previous: string | null;
}

const SECRET = 'nobody-may-read-this-7f3a';

describe('connections', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;

  beforeEach(async () => {
    project = await client.createProject('Connections');
  });

  const upsert = (more: object = {}) =>
    client.request<ConnectionAnswer>('POST', '/connections', {
      projectId: project,
      externalId: 'warehouse',
      displayName: 'Warehouse',
      type: 'SECRET_TEXT',
      value: { secret_text: SECRET },
      ...more,
    });
  const list = (query = '') => client.must<PageAnswer>('GET', `/connections?projectId=${project}${query}`);
  const keyOf = async (projectId: string) =>
    client.withToken(
      (await client.must<{ value: string }>('POST', '/api-keys', { displayName: 'K', projectId })).value,
    );

  it.each([
    ['SECRET_TEXT', { secret_text: SECRET }],
    ['BASIC_AUTH', { username: 'ada', password: SECRET }],
    ['CUSTOM_AUTH', { props: { region: 'eu', token: SECRET } }],
    ['NO_AUTH', {}],
  ])('of the type %s are made, read, listed and deleted, and never show what they hold', async (type, value) => {
    const made = await upsert({ type, value });
    expect(made).toMatchObject({ status: 201, body: { projectId: project, externalId: 'warehouse', type } });
    const read = await client.request('GET', `/connections/${made.body.id}`);
    expect(read).toMatchObject({ status: 200, body: { ...made.body, status: 'ACTIVE', flows: [] } });
    expect(await client.request('POST', `/connections/${made.body.id}/test`)).toMatchObject({
      status: 200,
      body: { ok: true },
    });
    const page = await list();
    expect(page).toEqual({ data: [made.body], next: null, previous: null });
    for (const answer of [made.body, read.body, page]) {
      expect(JSON.stringify(answer)).not.toContain(SECRET);
      expect(JSON.stringify(answer)).not.toContain('value');
    }

    expect((await client.request('DELETE', `/connections/${made.body.id}`)).status).toBe(204);
    expect(await client.request('GET', `/connections/${made.body.id}`)).toMatchObject({
      status: 404,
      body: { code: 'ENTITY_NOT_FOUND', params: { entityType: 'connection', entityId: made.body.id } },
    });
    expect((await client.request('DELETE', `/connections/${made.body.id}`)).status).toBe(404);
  });

  it('tell which flows use them', async () => {
    const { id } = (await upsert()).body;
    const flow = await client.must<{ id: string }>('POST', '/flows', { projectId: project, displayName: 'Uses it' });
    const input = { key: "{{ connections['warehouse'] }}" };
    const code = { code: 'export const code = async () => 1;', packageJson: '{}' };
    await client.must('POST', `/flows/${flow.id}`, {
      type: 'ADD_ACTION',
      request: {
        parentStep: 'trigger',
        stepLocationRelativeToParent: 'AFTER',
        action: { name: 'a', displayName: 'A', type: 'CODE', settings: { sourceCode: code, input } },
      },
    });

    const read = await client.must('GET', `/connections/${id}`);

    expect(read).toMatchObject({ flows: [{ id: flow.id, displayName: 'Uses it' }] });
  });

  it('by OAuth 2.0 begin with an authorization URL, and take no code without its state', async () => {
    const begun = await client.must<{ authorizationUrl: string; state: string }>(
      'POST',
      '/connections/oauth2/authorization-url',
      {
        projectId: project,
        client_id: 'flows',
        authorization_url: 'https://id.example/auth',
        redirect_url: 'https://flows.example/back',
      },
    );
    const parameters = new URL(begun.authorizationUrl).searchParams;
    expect(parameters.get('state')).toBe(begun.state);
    expect(parameters.get('code_challenge_method')).toBe('S256');

    const value = { client_id: 'other', token_url: 'https://id.example/token', code: 'c', state: begun.state };
    const refused = await upsert({ type: 'OAUTH2', value });
    expect(refused).toMatchObject({ status: 400, body: { params: { errors: [{ path: '/value/state' }] } } });
  });

  it('are replaced by their external id, in their project only', async () => {
    const first = (await upsert()).body;
    const again = await upsert({ displayName: 'Depot', type: 'BASIC_AUTH', value: { username: 'a', password: '' } });
    expect(again).toMatchObject({ status: 200, body: { id: first.id, displayName: 'Depot', type: 'BASIC_AUTH' } });

    const elsewhere = await upsert({ projectId: await client.createProject('Other') });
    expect(elsewhere.status).toBe(201);
    expect(elsewhere.body.id).not.toBe(first.id);
    expect((await list()).data).toEqual([again.body]);
  });

  it('answer a repetition with the same Idempotency-Key as the first time', async () => {
    const body = {
      projectId: project,
      externalId: 'once',
      displayName: 'Once',
      type: 'SECRET_TEXT',
      value: { secret_text: SECRET },
    };
    const key = { 'idempotency-key': `connection-${project}` };
    const first = await client.request('POST', '/connections', body, key);
    const again = await client.request('POST', '/connections', body, key);

    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('are listed newest first, page by page, and by their external ids', async () => {
    for (const externalId of ['one', 'two', 'three']) await upsert({ externalId });
    const names = ({ data }: PageAnswer) => data.map(({ externalId }) => externalId);

    const first = await list('&limit=2');
    expect(names(first)).toEqual(['three', 'two']);
    expect(names(await list(`&limit=2&cursor=${first.next}`))).toEqual(['one']);
    expect(names(await list('&externalIds=one&externalIds=three&externalIds=none'))).toEqual(['three', 'one']);
    expect(names(await list('&externalIds[]=two'))).toEqual(['two']);
  });

  it('of another project are unknown', async () => {
    const { id } = (await upsert()).body;
    const stranger = await keyOf(await client.createProject('Strangers'));
    const unknown = { status: 404, body: { code: 'ENTITY_NOT_FOUND', params: { entityType: 'connection' } } };

    expect(await stranger.request('GET', `/connections/${id}`)).toMatchObject(unknown);
    expect(await stranger.request('DELETE', `/connections/${id}`)).toMatchObject(unknown);
    const refused = { status: 403, body: { code: 'AUTHORIZATION' } };
    expect(await stranger.request('GET', `/connections?projectId=${project}`)).toMatchObject(refused);
    const body = {
      projectId: project,
      externalId: 'x',
      displayName: 'x',
      type: 'SECRET_TEXT',
      value: { secret_text: 'x' },
    };
    expect(await stranger.request('POST', '/connections', body)).toMatchObject(refused);
    expect((await list()).data).toHaveLength(1);
  });

  it.each<[string, object, string]>([
    ['no external id', { externalId: undefined }, '/externalId'],
    ['white space in the external id', { externalId: 'a b' }, '/externalId'],
    ['a long external id', { externalId: 'x'.repeat(256) }, '/externalId'],
    ['a blank name', { displayName: ' ' }, '/displayName'],
    ['an unknown type', { type: 'TOKEN' }, '/type'],
    ['OAuth2 without a token URL', { type: 'OAUTH2', value: { client_id: SECRET } }, '/value/token_url'],
    ['no value', { value: undefined }, '/value'],
    ['the value of another type', { value: { username: 'a', password: SECRET } }, '/value/secret_text'],
    ['more than its type holds', { value: { secret_text: SECRET, more: SECRET } }, '/value/more'],
    ['a secret that is no text', { value: { secret_text: [SECRET] } }, '/value/secret_text'],
    ['an unknown field', { colour: 'red' }, '/colour'],
  ])('are refused with %s', async (_what, more, path) => {
    const answer = await upsert(more);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION' } });
    const { errors } = (answer.body as unknown as { params: { errors: { path: string }[] } }).params;
    expect(errors.map((error) => error.path)).toContain(path);
    expect(JSON.stringify(answer.body)).not.toContain(SECRET);
  });
});
