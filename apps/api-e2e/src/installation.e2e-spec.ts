import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

describe('the installation', () => {
  const service = serviceUnderTest();
  const admin = new ServiceClient(service.baseUrl, service.adminApiKey);

  it('tells everyone its rules, and no secret', async () => {
    const facts = await admin.withToken(null).must<object>('GET', '/installation');

    expect(facts).toMatchObject({
      publicUrl: expect.stringMatching(/^http/),
      signUpEnabled: false,
      issuerEnabled: false,
      queueBoardEnabled: expect.any(Boolean),
      piecePackages: 'catalogue',
      retention: { stepDataDays: 30, runDays: null, auditDays: 365 },
      limits: { runSeconds: 600, enabledFlows: null },
    });
    expect(JSON.stringify(facts)).not.toContain(service.adminApiKey);
  });

  it('counts the runs that wait, for its administrators alone', async () => {
    const backlog = await admin.must<object>('GET', '/admin/queue/backlog');
    expect(backlog).toMatchObject({ runs: expect.any(Number), held: expect.any(Number), bytes: expect.any(Number) });

    const projectId = await admin.createProject('Not the platform');
    const key = { displayName: 'All of one project', projectId, role: 'ADMIN' };
    const member = admin.withToken((await admin.must<{ value: string }>('POST', '/api-keys', key)).value);
    expect((await member.request('GET', '/admin/queue/backlog')).status).toBe(403);
  });
});
