import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

interface App {
  id: string;
  pieceName: string;
  clientId: string;
  hasWebhookSecret: boolean;
  webhookUrl: string;
}

const SECRETS = { clientSecret: 'nobody-may-read-this-41aa', webhookSecret: 'nobody-may-read-this-41bb' };
const pieceName = `@e2e/piece-app-${Date.now()}`;
const query = `pieceName=${encodeURIComponent(pieceName)}`;

describe('apps of providers', () => {
  const service = serviceUnderTest();
  const admin = new ServiceClient(service.baseUrl, service.adminApiKey);

  it('are stored, replaced, listed and deleted by administrators, told in the audit log, and show no secret', async () => {
    const app = { pieceName, clientId: 'client-1', ...SECRETS };

    const made = await admin.request<App>('POST', '/oauth-apps', app);
    const { webhookSecret: _none, ...withoutEvents } = { ...app, clientId: 'client-2' };
    const replaced = await admin.request<App>('POST', '/oauth-apps', withoutEvents);
    const { data } = await admin.must<{ data: App[] }>('GET', '/oauth-apps');
    const deleted = await admin.request('DELETE', `/oauth-apps?${query}`);

    const path = `/api/v1/app-events/${pieceName.replace('/', '%2F')}`;
    expect(made).toMatchObject({ status: 201, body: { pieceName, clientId: 'client-1', hasWebhookSecret: true } });
    expect(new URL(made.body.webhookUrl).pathname).toBe(path);
    expect(replaced).toMatchObject({ status: 200, body: { id: made.body.id, clientId: 'client-2' } });
    expect(data).toContainEqual({ ...replaced.body, hasWebhookSecret: false });
    expect(deleted.status).toBe(204);
    expect(await admin.request('DELETE', `/oauth-apps?${query}`)).toMatchObject({
      status: 404,
      body: { code: 'ENTITY_NOT_FOUND' },
    });
    const events = await admin.must<{ data: { action: string; details: unknown }[] }>(
      'GET',
      `/audit-events?targetId=${encodeURIComponent(pieceName)}`,
    );
    expect(events.data.map(({ action, details }) => [action, details])).toEqual([
      ['oauth_app.deleted', { clientId: 'client-2' }],
      ['oauth_app.upserted', { clientId: 'client-2' }],
      ['oauth_app.upserted', { clientId: 'client-1' }],
    ]);
    expect(JSON.stringify([made, replaced, data, events])).not.toContain('nobody-may-read-this');
  });

  it('take no event while their package is not installed, and the answer says what it takes', async () => {
    const notInstalled = `@e2e/piece-events-${Date.now()}`;
    await admin.must('POST', '/oauth-apps', { pieceName: notInstalled, clientId: 'client-1', ...SECRETS });

    expect(await admin.request('POST', `/app-events/${encodeURIComponent(notInstalled)}`, {})).toMatchObject({
      status: 404,
      body: { params: { message: expect.stringMatching(/its webhookSecret, and an installed package/) } },
    });
  });

  it('are for administrators of the platform alone', async () => {
    const projectId = await admin.createProject('Builders');
    const key = await admin.must<{ value: string }>('POST', '/api-keys', {
      ...{ displayName: 'A key', projectId, role: 'ADMIN' },
    });
    const builder = admin.withToken(key.value);
    const denied = { status: 403, body: { code: 'PERMISSION_DENIED' } };

    expect(await builder.request('GET', '/oauth-apps')).toMatchObject(denied);
    expect(await builder.request('POST', '/oauth-apps', { pieceName, clientId: 'x', ...SECRETS })).toMatchObject(
      denied,
    );
    expect(await builder.request('DELETE', `/oauth-apps?${query}`)).toMatchObject(denied);
  });

  it('must say what they are for', async () => {
    const refused = await admin.request<{ params: { errors: { path: string }[] } }>('POST', '/oauth-apps', {
      ...{ pieceName: '', clientId: 7 },
    });

    expect(refused).toMatchObject({ status: 400, body: { code: 'VALIDATION' } });
    expect(refused.body.params.errors.map(({ path }) => path).sort()).toEqual([
      ...['/clientId', '/clientSecret', '/pieceName'],
    ]);
  });
});
