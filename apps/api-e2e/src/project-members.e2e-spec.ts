import { randomUUID } from 'node:crypto';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

interface Member {
  id: string;
  userId: string;
  role: string;
}

const password = 'correct horse battery';

describe('members of a project', () => {
  const service = serviceUnderTest();
  const admin = new ServiceClient(service.baseUrl, service.adminApiKey);

  /** A user with a project of their own. */
  async function person() {
    const email = `${randomUUID()}@millrace.test`;
    const { id } = await admin.must<{ id: string }>('POST', '/users', {
      email,
      password,
      firstName: 'A',
      lastName: 'B',
    });
    const { token } = await admin.must<{ token: string }>('POST', '/authentication/sign-in', { email, password });
    const client = admin.withToken(token);
    return { id, email, client, project: await client.createProject(`Of ${email}`) };
  }

  const membersOf = async (client: ServiceClient, project: string) =>
    (await client.must<{ data: Member[] }>('GET', `/project-members?projectId=${project}`)).data;

  it('begin with its owner as administrator, who invites others', async () => {
    const [owner, guest] = await Promise.all([person(), person()]);
    expect(await membersOf(owner.client, owner.project)).toMatchObject([{ userId: owner.id, role: 'ADMIN' }]);
    expect((await guest.client.request('GET', `/projects/${owner.project}`)).status).toBe(404);

    const invitation = { email: guest.email, projectId: owner.project, role: 'VIEWER' };
    const { token } = await owner.client.must<{ token: string }>('POST', '/user-invitations', invitation);
    expect((await owner.client.request('POST', '/user-invitations/accept', { token })).status).toBe(404);
    const { id } = await guest.client.must<Member>('POST', '/user-invitations/accept', { token });

    expect(await membersOf(guest.client, owner.project)).toMatchObject([{ id, role: 'VIEWER' }, { role: 'ADMIN' }]);
    expect((await guest.client.request('POST', '/user-invitations/accept', { token })).status).toBe(404);
    const flow = { displayName: 'x', projectId: owner.project };
    expect(await guest.client.request('POST', '/flows', flow)).toMatchObject({
      status: 403,
      body: { code: 'PERMISSION_DENIED', params: { permission: 'WRITE_FLOW', projectId: owner.project } },
    });
    await owner.client.must('POST', `/project-members/${id}`, { role: 'EDITOR' });
    expect((await guest.client.request('POST', '/flows', flow)).status).toBe(201);
    expect((await owner.client.request('DELETE', `/project-members/${id}`)).status).toBe(204);
    expect(await guest.client.request('POST', '/flows', flow)).toMatchObject({ body: { code: 'AUTHORIZATION' } });
  });

  it('always have an administrator among them', async () => {
    const { client, project } = await person();
    const [owner] = await membersOf(client, project);
    const path = `/project-members/${owner?.id}`;
    for (const attempt of [client.request('DELETE', path), client.request('POST', path, { role: 'EDITOR' })])
      expect(await attempt).toMatchObject({ status: 409, body: { code: 'LAST_ADMINISTRATOR' } });
    expect((await client.request('POST', path, { role: 'ADMIN' })).status).toBe(200);
  });

  it('cannot add users whom they do not know', async () => {
    const [owner, stranger] = await Promise.all([person(), person()]);
    const add = (userId: string) =>
      owner.client.request('POST', '/project-members', { projectId: owner.project, userId, role: 'ADMIN' });
    expect(await add(stranger.id)).toMatchObject({ status: 404, body: { params: { entityType: 'user' } } });
    expect((await add(randomUUID())).status).toBe(404);
    expect((await add(owner.id)).status).toBe(409);
  });

  it('lose the keys that they have made, with what those have made', async () => {
    const [owner, guest] = await Promise.all([person(), person()]);
    const member = { projectId: owner.project, userId: guest.id, role: 'ADMIN' };
    const { id } = await admin.must<Member>('POST', '/project-members', member);
    const make = (client: ServiceClient, role: string) =>
      client.must<{ id: string; value: string }>('POST', '/api-keys', {
        displayName: role,
        projectId: owner.project,
        role,
      });
    const key = await make(guest.client, 'ADMIN');
    const grandchild = await make(admin.withToken(key.value), 'VIEWER');
    const reader = await make(guest.client, 'VIEWER');
    const statusOf = async ({ value }: { value: string }) =>
      (await admin.withToken(value).request('GET', '/projects')).status;
    expect(await Promise.all([key, grandchild, reader].map(statusOf))).toEqual([200, 200, 200]);

    await owner.client.must('POST', `/project-members/${id}`, { role: 'VIEWER' });
    expect(await Promise.all([key, grandchild, reader].map(statusOf))).toEqual([401, 401, 200]);
    await owner.client.must('DELETE', `/project-members/${id}`);
    expect(await statusOf(reader)).toBe(401);
  });

  it('go with their project, whose flows stop', async () => {
    const { client, project } = await person();
    const { id } = await client.createFlow(project, 'Goes too');
    await client.must('POST', '/folders', { projectId: project, displayName: 'x' });
    const key = await client.must<{ value: string }>('POST', '/api-keys', { displayName: 'x', projectId: project });

    expect((await client.request('DELETE', `/projects/${project}`)).status).toBe(204);

    expect((await client.request('GET', `/flows/${id}`)).status).toBe(404);
    expect((await admin.request('GET', `/flows/${id}`)).status).toBe(404);
    expect((await admin.request('GET', `/projects/${project}`)).status).toBe(404);
    expect((await admin.withToken(key.value).request('GET', '/projects')).status).toBe(401);
  });
});
