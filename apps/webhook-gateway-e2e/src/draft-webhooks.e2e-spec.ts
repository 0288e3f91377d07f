import { randomUUID } from 'node:crypto';
import { builtInStep, builtInTrigger, codeStep, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

const answering = (body: string) =>
  webhookTrigger([
    codeStep('said', {}, `export const code = () => ${JSON.stringify(body)};`),
    builtInStep('answer', 'webhook', 'return_response', { fields: { body: '{{said}}' }, responseType: 'raw' }),
  ]);
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

describe('a webhook for the draft of a flow', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  const anyone = client.withToken(null);
  let project: string;

  beforeAll(async () => {
    project = await client.createProject('Drafts');
  });

  const post = (path: string, body: unknown = {}, headers: Record<string, string> = {}) =>
    anyone.request<{ id: string }>('POST', `/webhooks/${path}`, body, headers);
  const sampleOf = (flowId: string) =>
    client.request<{ body: unknown }>('GET', `/sample-data?flowId=${flowId}&stepName=trigger&type=OUTPUT`);
  const runsOf = async (flowId: string) =>
    (await client.must<{ data: { id: string }[] }>('GET', `/flow-runs?projectId=${project}&flowId=${flowId}`)).data;
  const draft = async (body: string) => {
    const { id } = await client.createFlow(project, 'Draft');
    await client.importFlow(id, 'Draft', answering(body));
    return id;
  };

  it.each(['simulate', 'draft'])('starts a test run on /%s, by every method', async (path) => {
    const flowId = await draft('never published');

    for (const method of METHODS) {
      const body = method === 'GET' ? undefined : { method };
      const answer = await anyone.request<{ id: string }>(method, `/webhooks/${flowId}/${path}?a=1`, body);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-webhook-id')).toBe(answer.body.id);
      expect(await client.endedRun(answer.body.id)).toMatchObject({
        status: 'SUCCEEDED',
        environment: 'TESTING',
        triggeredBy: 'webhook',
        steps: { trigger: { type: 'WEBHOOK', output: { method, queryParams: { a: '1' }, body: body ?? {} } } },
      });
    }
    expect(await runsOf(flowId)).toHaveLength(METHODS.length);
  });

  it('runs what was saved last, while the published version stays as it is', async () => {
    const { id } = await client.publishFlow(project, 'Both', answering('published'));

    for (const edit of ['first edit', 'second edit', 'third edit']) {
      await client.importFlow(id, 'Both', answering(edit));
      const answer = await fetch(`${service.baseUrl}/api/v1/webhooks/${id}/draft/sync`, { method: 'POST' });
      expect([answer.status, await answer.text()]).toEqual([200, edit]);
      const run = await client.must('GET', `/flow-runs/${answer.headers.get('x-webhook-id')}`);
      expect(run).toMatchObject({ environment: 'TESTING' });
    }
    const published = await fetch(`${service.baseUrl}/api/v1/webhooks/${id}/sync`, { method: 'POST' });
    expect(await published.text()).toBe('published');
  });

  it('is taken while the flow is disabled', async () => {
    const { id } = await client.publishFlow(project, 'Off', answering('x'));
    await client.must('POST', `/flows/${id}`, { type: 'CHANGE_STATUS', request: { status: 'DISABLED' } });

    const answer = await post(`${id}/draft`);
    expect((await client.endedRun(answer.body.id)).status).toBe('SUCCEEDED');
  });

  it('leaves its payload as the sample of the trigger, which later tests use', async () => {
    const flowId = await draft('x');
    expect((await sampleOf(flowId)).status).toBe(404);

    for (const path of ['simulate', 'draft', 'draft/sync']) {
      await fetch(`${service.baseUrl}/api/v1/webhooks/${flowId}/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ by: path }),
      });
      expect((await sampleOf(flowId)).body).toMatchObject({ method: 'POST', body: { by: path }, queryParams: {} });
    }
    const run = await client.must<{ id: string }>('POST', `/flows/${flowId}/test-run`, {});
    const { steps } = await client.endedRun(run.id);
    expect(steps?.['trigger']?.output).toMatchObject({ body: { by: 'draft/sync' } });
  });

  it('only leaves its payload on /test, by every method and of any flow with a webhook trigger', async () => {
    const { id } = await client.createFlow(project, 'Half built');
    await client.importFlow(id, 'Half built', webhookTrigger([codeStep('broken', {}, 'export const')]));

    for (const method of METHODS) {
      const answer = await anyone.request<{ id: string }>(method, `/webhooks/${id}/test?m=${method}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-webhook-id')).toBe(answer.body.id);
      expect((await sampleOf(id)).body).toMatchObject({ method, queryParams: { m: method } });
    }
    expect(await runsOf(id)).toEqual([]);
  });

  it.each([
    ['XML', 'application/xml', '<a>1</a>', { a: '1' }],
    ['text', 'text/plain', 'x'.repeat(300_000), 'x'.repeat(300_000)],
    ['an image', 'image/png', 'png', { fileUrl: expect.stringContaining('/api/v1/files/') as string }],
  ])('leaves a sample of %s', async (_, type, text, body) => {
    const flowId = await draft('x');
    for (const path of ['test', 'draft']) {
      expect((await post(`${flowId}/${path}`, text, { 'content-type': type })).status).toBe(200);
      expect((await sampleOf(flowId)).body).toMatchObject({ body });
    }
  });

  it('starts one run per key, and the key is free for the published version', async () => {
    const { id } = await client.publishFlow(project, 'Keys', answering('x'));
    const headers = { 'webhook-id': randomUUID() };

    const answers = await Promise.all(
      [1, 2, 3].map((n) => post(`${id}/${n % 2 ? 'draft' : 'simulate'}`, { n }, headers)),
    );
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter((answer) => answer.headers.get('idempotent-replayed') === 'true')).toHaveLength(2);
    const published = await post(id, {}, headers);
    expect(published.headers.get('idempotent-replayed')).toBeNull();
    expect(published.body.id).not.toBe(answers[0]?.body.id);
  });

  it('runs no draft with errors, and stores nothing of the request', async () => {
    const { id } = await client.publishFlow(project, 'Broken', answering('x'));
    await client.importFlow(id, 'Broken', webhookTrigger([codeStep('broken', {}, 'export const')]));

    for (const path of ['draft', 'simulate', 'draft/sync'])
      expect(await post(`${id}/${path}`)).toMatchObject({
        status: 409,
        body: { code: 'FLOW_VERSION_INVALID', params: { problems: [] } },
      });
    expect(await runsOf(id)).toEqual([]);
    expect((await sampleOf(id)).status).toBe(404);
  });

  it('knows no other flows', async () => {
    const { id } = await client.publishFlow(project, 'Callable', builtInTrigger('subflows', 'callable_flow', []));
    const { id: empty } = await client.createFlow(project, 'Empty');

    for (const flowId of [id, empty, randomUUID(), 'nope'])
      for (const path of ['simulate', 'draft', 'draft/sync', 'test'])
        expect(await post(`${flowId}/${path}`)).toMatchObject({
          status: 404,
          body: { code: 'ENTITY_NOT_FOUND', params: { entityType: 'flow' } },
        });
    expect(await runsOf(id)).toEqual([]);
  });

  it('is taken so often in a minute, whatever its path is', async () => {
    const flowId = await draft('x');
    const paths = ['test', 'draft', 'simulate'];
    let answer = await post(`${flowId}/test`);
    for (let n = 0; n < 100 && answer.status === 200; n++) answer = await post(`${flowId}/${paths[n % 3]}`);

    expect(answer).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await post(`${await draft('another')}/draft`)).status).toBe(200);
  });
});
