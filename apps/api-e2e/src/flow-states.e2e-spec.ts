import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, ServiceProcess, serviceUnderTest } from '@millrace/e2e-support';

interface ErrorAnswer {
  code: string;
  params: object;
}

describe('entity tags of a flow', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let flowId: string;

  beforeEach(async () => {
    flowId = (await client.createFlow(await client.createProject('Tags'), 'Tagged')).id;
  });

  const rename = (displayName: string, headers = {}) =>
    client.request<ErrorAnswer>('POST', `/flows/${flowId}`, { type: 'CHANGE_NAME', request: { displayName } }, headers);
  const etagOf = async (): Promise<string> =>
    (await client.request('GET', `/flows/${flowId}`)).headers.get('etag') ?? 'none';

  it('change with every change of the flow, and only then', async () => {
    const first = await etagOf();
    expect(first).toMatch(/^"[^"]+"$/);
    expect(await etagOf()).toBe(first);

    const renamed = await rename('Other');
    expect(renamed.headers.get('etag')).not.toBe(first);
    expect(await etagOf()).toBe(renamed.headers.get('etag'));
    expect((await rename('Other')).headers.get('etag')).toBe(renamed.headers.get('etag'));
  });

  it('let an edit through that names the present state', async () => {
    expect((await rename('A', { 'if-match': await etagOf() })).status).toBe(200);
    expect((await rename('B', { 'if-match': `"other", ${await etagOf()}` })).status).toBe(200);
    expect((await rename('C', { 'if-match': '*' })).status).toBe(200);
  });

  it('refuse a stale edit and a stale deletion, and say what the state is', async () => {
    const stale = await etagOf();
    await rename('Newer');
    const current = await etagOf();

    const edit = await rename('Older', { 'if-match': stale });
    const deletion = await client.request('DELETE', `/flows/${flowId}`, undefined, { 'if-match': stale });

    for (const answer of [edit, deletion])
      expect(answer).toMatchObject({
        status: 412,
        body: { statusCode: 412, code: 'PRECONDITION_FAILED', params: { etag: current } },
      });
    expect(await etagOf()).toBe(current);
    expect((await rename('Weak', { 'if-match': `W/${current}` })).status).toBe(412);
  });
});

describe('the edit guard', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);

  it('also holds after a change of status, says until when, and does not stand before a refused body', async () => {
    const project = await client.createProject('Guard');
    const { id, version } = await client.publishFlow(project, 'Guarded', webhookTrigger());
    const key = await client.must<{ value: string }>('POST', '/api-keys', { displayName: 'Other', projectId: project });
    const other = client.withToken(key.value);

    const answer = await other.request<ErrorAnswer>('POST', `/flows/${id}`, {
      type: 'CHANGE_STATUS',
      request: { status: 'DISABLED' },
    });

    expect(answer).toMatchObject({
      status: 409,
      body: {
        code: 'FLOW_IN_USE',
        params: {
          flowVersionId: version.id,
          updatedBy: expect.stringMatching(/^api_key:/),
          updatedByName: 'Platform key',
          until: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
          message: expect.stringMatching(/^Platform key is editing this flow.* \d{4}-\d\d-\d\dT/),
        },
      },
    });
    expect((await other.request<ErrorAnswer>('POST', `/flows/${id}`, { type: 'NOPE' })).body.code).toBe('VALIDATION');
  });
});

describe('the limit of enabled flows', () => {
  let service: ServiceProcess;

  beforeAll(async () => {
    service = await ServiceProcess.start({ SVC_ACTIVE_FLOWS_LIMIT: '2' });
  });
  afterAll(() => service.stop());

  it('is kept also when many are enabled at once', async () => {
    const { client } = service;
    const project = await client.createProject('Limited');
    const ids = await Promise.all(
      Array.from({ length: 8 }, async (_, n) => {
        const { id } = await client.createFlow(project, `flow ${n}`);
        await client.importFlow(id, `flow ${n}`, webhookTrigger([codeStep('a')]));
        return id;
      }),
    );

    const answers = await Promise.all(
      ids.map((id) => client.request<ErrorAnswer>('POST', `/flows/${id}`, { type: 'LOCK_AND_PUBLISH', request: {} })),
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    for (const { status, body } of answers.filter((answer) => answer.status !== 200))
      expect({ status, body }).toMatchObject({
        status: 402,
        body: { code: 'QUOTA_EXCEEDED', params: { metric: expect.any(String), limit: 2, usage: 2 } },
      });
    const enabled = await client.must<{ data: object[] }>('GET', `/flows?projectId=${project}&status=ENABLED`);
    expect(enabled.data).toHaveLength(2);
  });
});
