import { randomUUID } from 'node:crypto';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

interface Project {
  id: string;
  displayName: string;
}

describe('projects', () => {
  const service = serviceUnderTest();
  const admin = new ServiceClient(service.baseUrl, service.adminApiKey);
  let mine: string;
  let foreign: string;
  let member: ServiceClient;

  beforeAll(async () => {
    mine = await admin.createProject('Mine');
    foreign = await admin.createProject('Foreign');
    const key = await admin.must<{ value: string }>('POST', '/api-keys', { displayName: 'Mine', projectId: mine });
    member = admin.withToken(key.value);
  });

  it('are made, read and renamed', async () => {
    const made = await admin.request<Project>('POST', '/projects', { displayName: 'First name' });
    expect(made.status).toBe(201);
    expect(Object.keys(made.body).sort()).toEqual([
      'created',
      'displayName',
      'id',
      'ownerId',
      'permissions',
      'updated',
    ]);
    expect((await admin.request('GET', `/projects/${made.body.id}`)).body).toEqual(made.body);

    const renamed = await admin.request('POST', `/projects/${made.body.id}`, { displayName: 'Second name' });
    expect(renamed).toMatchObject({ status: 200, body: { id: made.body.id, displayName: 'Second name' } });
  });

  it('say what the caller may do in them', async () => {
    const permissionsOf = async (client: ServiceClient) =>
      (await client.must<{ permissions: string[] }>('GET', `/projects/${mine}`)).permissions;
    const key = { displayName: 'Looks', projectId: mine, role: 'VIEWER' };
    const viewer = admin.withToken((await admin.must<{ value: string }>('POST', '/api-keys', key)).value);

    expect(await permissionsOf(viewer)).toEqual(expect.arrayContaining(['READ_FLOW', 'READ_RUN']));
    expect(await permissionsOf(viewer)).not.toContain('WRITE_RUN');
    expect(await permissionsOf(admin)).toEqual(expect.arrayContaining(['WRITE_RUN', 'WRITE_PROJECT']));
  });

  it('are listed newest first, page by page', async () => {
    const first = await admin.must<{ data: Project[]; next: string; previous: null }>('GET', '/projects?limit=1');
    const second = await admin.must<{ data: Project[]; previous: string }>(
      'GET',
      `/projects?limit=1&cursor=${first.next}`,
    );
    expect(first.previous).toBeNull();
    expect((first.data[0] as Project).id > (second.data[0] as Project).id).toBe(true);
    expect(second.previous).toEqual(expect.any(String));
  });

  it('are all a project key sees: foreign things are unknown, a foreign project named is refused', async () => {
    const { id } = await admin.createFlow(foreign, 'Secret');
    expect((await member.must<{ data: Project[] }>('GET', '/projects')).data.map((project) => project.id)).toEqual([
      mine,
    ]);
    expect((await member.request('GET', `/flows/${id}`)).body).toMatchObject({ code: 'ENTITY_NOT_FOUND' });
    expect((await member.request('DELETE', `/flows/${id}`)).status).toBe(404);
    expect((await member.request('GET', `/projects/${foreign}`)).status).toBe(404);
    for (const projectId of [foreign, randomUUID(), 'nope']) {
      const answer = await member.request('POST', '/flows', { displayName: 'x', projectId });
      expect(answer).toMatchObject({ status: 403, body: { code: 'AUTHORIZATION', params: { projectId } } });
    }
  });

  it('are unknown to the administrator when there are none', async () => {
    const answer = await admin.request('POST', '/flows', { displayName: 'x', projectId: randomUUID() });
    expect(answer).toMatchObject({
      status: 404,
      body: { code: 'ENTITY_NOT_FOUND', params: { entityType: 'project' } },
    });
  });
});
