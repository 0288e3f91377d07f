import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

interface FolderAnswer {
  id: string;
  displayName: string;
}
interface PageAnswer<T> {
  data: T[];
  next: string | null;
  previous: string | null;
}

describe('folders', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;

  beforeEach(async () => {
    project = await client.createProject('Folders');
  });

  const create = (displayName: string) =>
    client.request<FolderAnswer>('POST', '/folders', { displayName, projectId: project });
  const flowIn = (more: object) =>
    client.must<{ id: string; folderId: string | null }>('POST', '/flows', {
      displayName: 'In a folder',
      projectId: project,
      ...more,
    });

  it('are made, read, listed newest first, renamed and deleted', async () => {
    const made = await create('Marketing');
    expect(made).toMatchObject({ status: 201, body: { displayName: 'Marketing', projectId: project } });
    expect((await client.request('GET', `/folders/${made.body.id}`)).body).toEqual(made.body);
    const second = await create('Sales');

    const page = await client.must<PageAnswer<FolderAnswer>>('GET', `/folders?projectId=${project}`);
    expect(page).toEqual({ data: [second.body, made.body], next: null, previous: null });

    const renamed = await client.request('POST', `/folders/${made.body.id}`, { displayName: 'Brand' });
    expect(renamed).toMatchObject({ status: 200, body: { id: made.body.id, displayName: 'Brand' } });

    expect((await client.request('DELETE', `/folders/${made.body.id}`)).status).toBe(204);
    const gone = await client.request('GET', `/folders/${made.body.id}`);
    expect(gone).toMatchObject({ status: 404, body: { params: { entityType: 'folder', entityId: made.body.id } } });
  });

  it('have names that are unique in their project, whatever the case', async () => {
    await create('Marketing');
    const taken = {
      status: 409,
      body: { code: 'ENTITY_EXISTS', params: { entityType: 'folder', field: 'displayName' } },
    };

    expect(await create('MARKETING')).toMatchObject(taken);
    const other = (await create('Other')).body;
    expect(await client.request('POST', `/folders/${other.id}`, { displayName: 'marketing' })).toMatchObject(taken);
    expect((await client.request('POST', `/folders/${other.id}`, { displayName: 'OTHER' })).status).toBe(200);
  });

  it('let their flows out when they are deleted', async () => {
    const folder = (await create('Short-lived')).body;
    const flow = await flowIn({ folderId: folder.id });
    expect(flow.folderId).toBe(folder.id);

    await client.must('DELETE', `/folders/${folder.id}`);

    expect(await client.must('GET', `/flows/${flow.id}`)).toMatchObject({ id: flow.id, folderId: null });
  });

  it('are made or found by name when a flow is created', async () => {
    const [first, second] = await Promise.all([flowIn({ folderName: 'New' }), flowIn({ folderName: 'new' })]);

    expect(first.folderId).toEqual(expect.any(String));
    expect(second.folderId).toBe(first.folderId);
    const folder = (await create('Named')).body;
    expect((await flowIn({ folderId: folder.id, folderName: 'Ignored' })).folderId).toBe(folder.id);
    const names = (await client.must<PageAnswer<FolderAnswer>>('GET', `/folders?projectId=${project}`)).data;
    expect(names.map(({ displayName }) => displayName.toLowerCase())).toEqual(['named', 'new']);
  });

  it('go into the project of a key that is bound to one', async () => {
    const key = await client.must<{ value: string }>('POST', '/api-keys', { displayName: 'K', projectId: project });
    const made = await client.withToken(key.value).must('POST', '/folders', { displayName: 'Mine' });
    expect(made).toMatchObject({ projectId: project });
    expect((await client.request('POST', '/folders', { displayName: 'Whose?' })).status).toBe(400);
  });

  it('of another project are unknown to a flow', async () => {
    const foreign = (await create('Foreign')).body;
    const other = await client.createProject('Another');

    const answer = await client.request('POST', '/flows', {
      displayName: 'x',
      projectId: other,
      folderId: foreign.id,
    });

    expect(answer).toMatchObject({ status: 404, body: { code: 'ENTITY_NOT_FOUND', params: { entityType: 'folder' } } });
  });

  it.each([
    ['no name', { displayName: undefined }, '/displayName'],
    ['a blank name', { displayName: ' ' }, '/displayName'],
    ['an unknown field', { colour: 'red' }, '/colour'],
    ['a field that every object has', { valueOf: 1 }, '/valueOf'],
  ])('are refused with %s', async (_what, body, path) => {
    const answer = await client.request<{ params: { errors: unknown[] } }>('POST', '/folders', {
      displayName: 'x',
      projectId: project,
      ...body,
    });
    expect(answer.status).toBe(400);
    expect(answer.body.params.errors).toContainEqual(expect.objectContaining({ path }));
  });
});
