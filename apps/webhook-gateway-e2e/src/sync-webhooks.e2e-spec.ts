import { randomUUID } from 'node:crypto';
import type { FlowAction } from '@millrace/domain';
import { builtInStep, codeStep, webhookTrigger } from '@millrace/domain/testing';
import { ownRedisUrl, ServiceClient, ServiceProcess, serviceUnderTest } from '@millrace/e2e-support';

const respond = (fields: object, more: object = {}): FlowAction =>
  builtInStep('answer', 'webhook', 'return_response', { fields, ...more });

const sendSync = (baseUrl: string, flowId: string, body: unknown = {}, headers: Record<string, string> = {}) =>
  fetch(`${baseUrl}/api/v1/webhooks/${flowId}/sync`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    redirect: 'manual',
  });

describe('POST /webhooks/:flowId/sync', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;

  beforeAll(async () => {
    project = await client.createProject('Sync webhooks');
  });

  const publish = async (...steps: FlowAction[]): Promise<string> =>
    (await client.publishFlow(project, 'Sync', webhookTrigger(steps))).id;

  it('answers with the status, headers and body that the flow responds', async () => {
    const flowId = await publish(
      codeStep('double', { n: '{{trigger.body.n}}' }, 'export const code = async ({ n }) => n * 2;'),
      respond({ status: 201, headers: { 'x-mine': 'yes' }, body: { doubled: '{{double}}' } }),
    );

    const answer = await sendSync(service.baseUrl, flowId, { n: 21 });

    expect(answer.status).toBe(201);
    expect(answer.headers.get('x-mine')).toBe('yes');
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(await answer.json()).toEqual({ doubled: 42 });
    const run = await client.endedRun(answer.headers.get('x-webhook-id') ?? '');
    expect(run).toMatchObject({ status: 'SUCCEEDED', steps: { answer: { output: { status: 201 } } } });
  });

  it.each([
    ['text', { body: 'plain <text>' }, { responseType: 'raw' }, 200, 'plain <text>'],
    ['a redirect', { body: 'https://example.com/there' }, { responseType: 'redirect' }, 302, ''],
    ['a redirect beyond ASCII', { body: '/größe?q=日本' }, { responseType: 'redirect' }, 302, ''],
    ['another redirect', { status: 307, body: '/there' }, { responseType: 'redirect' }, 307, ''],
  ])('answers with %s', async (_, fields, more, status, body) => {
    const answer = await sendSync(service.baseUrl, await publish(respond(fields, more)));

    expect(answer.status).toBe(status);
    if (status >= 300) expect(answer.headers.get('location')).toBe(encodeURI(fields.body));
    expect(await answer.text()).toBe(body);
  });

  it('gives each of many senders its own answer', async () => {
    const flowId = await publish(respond({ body: { n: '{{trigger.body.n}}' } }));

    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => (await sendSync(service.baseUrl, flowId, { n })).json()),
    );

    expect(answers).toEqual(Array.from({ length: 100 }, (_, n) => ({ n })));
  });

  it('answers 204 when the run succeeded without a response', async () => {
    const answer = await sendSync(service.baseUrl, await publish(codeStep('quiet')));

    expect(answer.status).toBe(204);
    expect(await answer.text()).toBe('');
  });

  it('answers 500 FLOW_RUN_FAILED when the run did not succeed', async () => {
    const flowId = await publish(codeStep('bad', {}, 'export const code = async () => { throw new Error("no"); };'));
    const answer = await sendSync(service.baseUrl, flowId);

    expect(answer.status).toBe(500);
    const flowRunId = answer.headers.get('x-webhook-id');
    expect(await answer.json()).toMatchObject({ code: 'FLOW_RUN_FAILED', params: { flowRunId, status: 'FAILED' } });
  });

  it('answers while the run goes on, when the flow says so', async () => {
    const flowId = await publish(
      respond({ body: 'early' }, { respond: 'respond', responseType: 'raw' }),
      codeStep('after', {}, 'export const code = async () => { await sleep(2000); return "late"; };'),
    );

    const answer = await sendSync(service.baseUrl, flowId);
    expect(await answer.text()).toBe('early');
    const runId = answer.headers.get('x-webhook-id') ?? '';
    expect(await client.must('GET', `/flow-runs/${runId}`)).toMatchObject({ status: 'RUNNING' });
    expect((await client.endedRun(runId)).steps?.['after']?.output).toBe('late');
  });

  it.each([
    ['at once', '() => 0'],
    ['later', 'async () => sleep(300)'],
  ])('answers with the first of two responses when the second comes %s', async (_, between) => {
    const second = builtInStep('second', 'webhook', 'return_response', { fields: { body: 'second' } });
    const flowId = await publish(
      respond({ body: 'first' }, { respond: 'respond', responseType: 'raw' }),
      codeStep('between', {}, `export const code = ${between};`),
      second,
    );

    const answers = await Promise.all(Array.from({ length: 10 }, () => sendSync(service.baseUrl, flowId)));

    expect(new Set(await Promise.all(answers.map((answer) => answer.text())))).toEqual(new Set(['first']));
  });

  it('gives a repeat with the same key the first answer and no second run', async () => {
    const flowId = await publish(
      codeStep('random', {}, 'export const code = async () => Math.random();'),
      respond({ body: { r: '{{random}}' } }),
    );
    const headers = { 'idempotency-key': randomUUID() };

    const answers = await Promise.all([1, 2, 3].map(() => sendSync(service.baseUrl, flowId, {}, headers)));
    const later = await sendSync(service.baseUrl, flowId, {}, headers);

    const bodies = await Promise.all([...answers, later].map((answer) => answer.text()));
    expect(new Set(bodies).size).toBe(1);
    expect(new Set([...answers, later].map((answer) => answer.headers.get('x-webhook-id'))).size).toBe(1);
    expect(later.headers.get('idempotent-replayed')).toBe('true');
  });

  it('refuses what the plain webhook refuses, in the same shape', async () => {
    const unknown = await sendSync(service.baseUrl, randomUUID());
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ code: 'ENTITY_NOT_FOUND' });

    const flowId = await publish(codeStep('quiet'));
    await client.must('POST', `/flows/${flowId}`, { type: 'CHANGE_STATUS', request: { status: 'DISABLED' } });
    const deadline = Date.now() + 2_000;
    let disabled = await sendSync(service.baseUrl, flowId);
    while (disabled.status !== 404 && Date.now() < deadline) disabled = await sendSync(service.baseUrl, flowId);
    expect(await disabled.json()).toMatchObject({ code: 'FLOW_DISABLED' });
  });
});

describe('a sync webhook whose flow is slow', () => {
  let service: ServiceProcess;

  beforeAll(async () => {
    const redisUrl = ownRedisUrl(process.env);
    service = await ServiceProcess.start({
      SVC_WEBHOOK_TIMEOUT_SECONDS: '1',
      ...(redisUrl ? { SVC_REDIS_URL: redisUrl } : {}),
    });
  });

  afterAll(async () => {
    expect(await service.stop()).toBe(0);
  });

  it('is answered 408 after SVC_WEBHOOK_TIMEOUT_SECONDS, and its run goes on', async () => {
    const project = await service.client.createProject('Slow');
    const slow = codeStep('slow', {}, 'export const code = async () => { await sleep(2500); return "done"; };');
    const { id } = await service.client.publishFlow(project, 'Slow', webhookTrigger([slow]));

    const answer = await sendSync(service.client.baseUrl, id);

    expect(answer.status).toBe(408);
    const flowRunId = answer.headers.get('x-webhook-id') ?? '';
    expect(await answer.json()).toMatchObject({ code: 'REQUEST_TIMEOUT', params: { flowRunId } });
    expect(await service.client.endedRun(flowRunId)).toMatchObject({
      status: 'SUCCEEDED',
      steps: { slow: { output: 'done' } },
    });
  });
});
