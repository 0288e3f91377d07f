import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

interface AuditEvent {
  id: string;
  actor: string;
  address: string | null;
  action: string;
  targetId: string;
  details: Record<string, string | null>;
}
interface Page {
  data: AuditEvent[];
  next: string | null;
}

const SECRET = 'nobody-may-read-this-90c1';

describe('the audit log', () => {
  const service = serviceUnderTest();
  const admin = new ServiceClient(service.baseUrl, service.adminApiKey);

  it('tells who changed what of a project, page by page and by filters, without secrets', async () => {
    const projectId = await admin.createProject('Audited');
    const key = { displayName: 'A key', projectId, role: 'ADMIN' };
    const made = await admin.must<{ id: string; value: string }>('POST', '/api-keys', key);
    const client = admin.withToken(made.value);
    const names = { projectId, externalId: 'crm', displayName: 'CRM', type: 'SECRET_TEXT' };
    const connection = await client.must<{ id: string }>('POST', '/connections', {
      ...names,
      value: { secret_text: SECRET },
    });
    await client.request('DELETE', `/connections/${connection.id}`);
    const list = (query = '') => client.must<Page>('GET', `/audit-events?projectId=${projectId}${query}`);

    const { data } = await list();

    expect(data.map(({ action }) => action)).toEqual(['connection.deleted', 'connection.upserted', 'api_key.created']);
    expect(data[0]).toMatchObject({
      actor: `api_key:${made.id}`,
      address: '127.0.0.1',
      targetId: connection.id,
      details: { externalId: 'crm', type: 'SECRET_TEXT' },
    });
    expect(JSON.stringify(data)).not.toContain(SECRET);
    const first = await list('&limit=1');
    expect((await list(`&limit=1&cursor=${first.next}`)).data).toEqual([data[1]]);
    expect((await list('&action=api_key.created&action=flow.deleted')).data).toEqual([data[2]]);
    expect((await list(`&targetId=${connection.id}`)).data).toHaveLength(2);
    expect((await list(`&actor=api_key:${made.id}&createdBefore=2020-01-01T00:00:00.000Z`)).data).toEqual([]);
    expect((await client.must<Page>('GET', '/audit-events')).data).toEqual(data);
  });

  it('tells of sign-ins to administrators of the platform, and refuses whoever may not read it', async () => {
    const signIn = (password: string) =>
      admin.request<{ id: string; token: string }>('POST', '/authentication/sign-in', {
        email: service.adminEmail,
        password,
      });
    await signIn('wrong-password');
    const { id } = (await signIn(service.adminPassword)).body;

    const page = await admin.must<Page>('GET', `/audit-events?targetId=${id}&limit=2`);

    expect(page.data.map(({ action, actor }) => [action, actor])).toEqual([
      ['user.signed_in', id],
      ['user.sign_in_refused', 'anonymous'],
    ]);
    const projectId = await admin.createProject('Not audited');
    const viewer = { displayName: 'A viewer', projectId, role: 'VIEWER' };
    const { value } = await admin.must<{ value: string }>('POST', '/api-keys', viewer);
    expect(await admin.withToken(value).request('GET', `/audit-events?projectId=${projectId}`)).toMatchObject({
      status: 403,
      body: { code: 'PERMISSION_DENIED' },
    });
  });
});
