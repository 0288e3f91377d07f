import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { builtInTrigger, codeStep, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

const echo = webhookTrigger([
  codeStep('echo', { body: '{{trigger.body}}' }, 'export const code = async (inputs) => inputs.body;'),
]);

const BILLION_LAUGHS = '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;">]><l>&b;</l>';
const MANY_PARTS = `${'--b\r\ncontent-disposition: form-data; name=a\r\n\r\n1\r\n'.repeat(100_000)}--b--`;

describe('POST /webhooks/:flowId', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  const anyone = client.withToken(null);
  let project: string;
  let flowId: string;

  beforeAll(async () => {
    project = await client.createProject('Webhooks');
    flowId = (await client.publishFlow(project, 'Echo', echo)).id;
  });

  const runsOf = async (id: string) =>
    (await client.must<{ data: { id: string }[] }>('GET', `/flow-runs?projectId=${project}&flowId=${id}&limit=100`))
      .data;

  /** A message tells the gateway about a change, which takes a few milliseconds. */
  const answerOnceItIs = async (status: number, id: string) => {
    const deadline = Date.now() + 2_000;
    for (;;) {
      const answer = await client.sendWebhook(id, {});
      if (answer.status === status || Date.now() > deadline) return answer;
    }
  };

  it('answers at once with the id of a run that can be read at once', async () => {
    const answer = await client.sendWebhook(flowId, { hello: 'world' });

    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-webhook-id')).toBe(answer.body.id);
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    const run = await client.must<{ status: string }>('GET', `/flow-runs/${answer.body.id}`);
    expect(['RUNNING', 'SUCCEEDED']).toContain(run.status);
  });

  it('gives the trigger method, headers, query, body and raw body', async () => {
    const sent = await anyone.request<{ id: string }>('PUT', `/webhooks/${flowId}?a=1&a=2`, '{ "x": [1] }', {
      'x-mine': 'yes',
    });
    const run = await client.endedRun(sent.body.id);

    expect(run.steps?.['trigger']).toMatchObject({
      type: 'WEBHOOK',
      output: {
        method: 'PUT',
        headers: { 'x-mine': 'yes' },
        queryParams: { a: ['1', '2'] },
        body: { x: [1] },
        rawBody: '{ "x": [1] }',
      },
    });
    expect(run.steps?.['echo']?.output).toEqual({ x: [1] });
    expect(run.logsFileId).toBeTruthy();
    // Gateway and worker read the clock of one machine, each with an error of a millisecond.
    expect(Date.parse(run.created)).toBeLessThanOrEqual(Date.parse(run.startTime ?? '') + 2);
    expect(Date.parse(run.startTime ?? '')).toBeLessThanOrEqual(Date.parse(run.finishTime ?? ''));
  });

  it.each(['webhook-id', 'idempotency-key'])('starts one run per %s, also for requests in parallel', async (header) => {
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => client.sendWebhook(flowId, { n }, { [header]: key })),
    );
    const later = await client.sendWebhook(flowId, { n: 'later' }, { [header]: key });

    expect(new Set([...answers, later].map((answer) => answer.body.id)).size).toBe(1);
    expect(answers.filter((answer) => answer.headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect(later.headers.get('idempotent-replayed')).toBe('true');
    expect((await runsOf(flowId)).filter((run) => run.id === later.body.id)).toHaveLength(1);
  });

  it('never takes equal bodies for repeats', async () => {
    const [one, two] = await Promise.all([
      client.sendWebhook(flowId, { same: 1 }),
      client.sendWebhook(flowId, { same: 1 }),
    ]);

    expect(one.body.id).not.toBe(two.body.id);
  });

  it('knows only flows that exist, by whatever id they are asked for', async () => {
    for (const id of ['nope', randomUUID(), '%00', "' or 1=1--"]) {
      const answer = await anyone.request('POST', `/webhooks/${encodeURIComponent(id)}`, {});
      expect(answer).toMatchObject({
        status: 404,
        body: { statusCode: 404, code: 'ENTITY_NOT_FOUND', params: { entityType: 'flow' } },
      });
    }
  });

  it('takes nothing for a flow whose trigger is not a webhook, and starts no run of it', async () => {
    const { id } = await client.publishFlow(project, 'Callable', builtInTrigger('subflows', 'callable_flow', []));

    for (const path of [id, `${id}/sync`])
      expect(await anyone.request('POST', `/webhooks/${path}`, {})).toMatchObject({
        status: 404,
        body: { code: 'ENTITY_NOT_FOUND', params: { entityType: 'flow', entityId: id } },
      });
    expect(await runsOf(id)).toEqual([]);
  });

  it('refuses a flow once it is disabled, and takes it again when it is enabled', async () => {
    const { id } = await client.publishFlow(project, 'On and off', echo);
    const setStatus = (status: string) =>
      client.must('POST', `/flows/${id}`, { type: 'CHANGE_STATUS', request: { status } });
    expect((await client.sendWebhook(id, {})).status).toBe(200);

    await setStatus('DISABLED');
    expect(await answerOnceItIs(404, id)).toMatchObject({ body: { code: 'FLOW_DISABLED' } });
    await setStatus('ENABLED');
    expect(await answerOnceItIs(200, id)).toMatchObject({ body: { id: expect.any(String) } });
  });

  it.each([
    ['disabled', 'POST', { type: 'CHANGE_STATUS', request: { status: 'DISABLED' } }],
    ['deleted', 'DELETE', undefined],
  ])('lets a run that is under way end when its flow is %s, and keeps it', async (_what, method, body) => {
    const slow = codeStep('slow', {}, 'export const code = async () => { await sleep(500); return "done"; };');
    const { id } = await client.publishFlow(project, 'Slow', webhookTrigger([slow]));
    const { body: accepted } = await client.sendWebhook(id, {});

    expect((await client.request(method, `/flows/${id}`, body)).status).toBeLessThan(300);

    const run = await client.endedRun(accepted.id);
    expect(run).toMatchObject({ status: 'SUCCEEDED', steps: { slow: { output: 'done' } } });
    expect((await runsOf(id)).map((each) => each.id)).toEqual([accepted.id]);
    expect(await answerOnceItIs(404, id)).toMatchObject({ status: 404 });
  });

  it.each([
    ['malformed JSON', '{"a":', {}, 400, 'VALIDATION'],
    ['JSON nested too deep', '['.repeat(200) + ']'.repeat(200), {}, 400, 'VALIDATION'],
    ['text of another charset', 'x', { 'content-type': 'text/plain; charset=big5' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['XML with entities', BILLION_LAUGHS, { 'content-type': 'application/xml' }, 400, 'VALIDATION'],
    ['a form without a boundary', 'x', { 'content-type': 'multipart/form-data' }, 400, 'VALIDATION'],
    ['a form of 100,000 parts', MANY_PARTS, { 'content-type': 'multipart/form-data; boundary=b' }, 400, 'VALIDATION'],
    ['a body over the limit', 'x'.repeat(26 * 1024 * 1024), { 'content-type': 'text/plain' }, 413, 'PAYLOAD_TOO_LARGE'],
  ])('refuses %s and stores nothing', async (_, body, headers, status, code) => {
    const { id } = await client.publishFlow(project, 'Untouched', echo);
    const answer = await anyone.request('POST', `/webhooks/${id}`, body, headers);

    expect(answer).toMatchObject({
      status,
      body: { statusCode: status, code, params: { message: expect.any(String) } },
    });
    expect(await runsOf(id)).toEqual([]);
  });

  it('keeps a body of 20 MB and odd characters', async () => {
    const body = { big: 'é'.repeat(5 * 1024 * 1024), nul: 'a\u0000b', lone: '\ud800', __proto__text: 1 };
    const { id } = await client.publishFlow(
      project,
      'Large',
      webhookTrigger([
        codeStep(
          'step_1',
          { size: '{{trigger.body.big.length}}' },
          'export const code = async (inputs) => inputs.size;',
        ),
      ]),
    );
    const run = await client.endedRun((await client.sendWebhook(id, body)).body.id);

    expect(run.steps?.['step_1']?.output).toBe(5 * 1024 * 1024);
    expect(run.steps?.['trigger']?.output).toMatchObject({ body: { nul: 'a\ufffdb', lone: '\ufffd' } });
  });

  it('gives the whole trigger to a code step with a body of 20 MB', async () => {
    const source = 'export const code = async ({ whole }) => [whole.method, whole.body.list.length];';
    const { id } = await client.publishFlow(
      project,
      'Whole',
      webhookTrigger([codeStep('step_1', { whole: '{{trigger}}' }, source)]),
    );
    const body = JSON.stringify({ list: Array.from({ length: 200 }, () => 'x'.repeat(100_000)) });

    const run = await client.endedRun((await anyone.request<{ id: string }>('POST', `/webhooks/${id}`, body)).body.id);

    expect(run.steps?.['step_1']?.output).toEqual(['POST', 200]);
  });

  it('takes text in its character set and compressed, and answers what browsers ask first', async () => {
    const text = Buffer.from('{"a":"grüße"}', 'latin1');
    const send = (method: string, headers: Record<string, string>, content?: Buffer) =>
      fetch(`${service.baseUrl}/api/v1/webhooks/${flowId}`, {
        method,
        headers,
        ...(content && { body: new Uint8Array(content) }),
      });
    const type = 'application/json; charset=iso-8859-1';
    const answer = await send('POST', { 'content-type': type, 'content-encoding': 'gzip' }, gzipSync(text));
    const run = await client.endedRun(((await answer.json()) as { id: string }).id);
    const preflight = await send('OPTIONS', { origin: 'https://a.example', 'access-control-request-method': 'PUT' });

    expect(run.steps?.['trigger']?.output).toMatchObject({ body: { a: 'grüße' }, rawBody: '{"a":"grüße"}' });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.status).toBe(204);
    expect((await send('POST', { 'content-type': 'application/json' }, text)).status).toBe(415);
  });
});

describe('the front door', () => {
  const service = serviceUnderTest();
  const anyone = new ServiceClient(service.baseUrl, null);

  it('passes every other path on to the api, errors included', async () => {
    expect(await anyone.request('GET', '/flow-runs')).toMatchObject({ status: 401, body: { code: 'AUTHENTICATION' } });
    expect(await anyone.request('GET', '/nonsense')).toMatchObject({ status: 404, body: { code: 'ROUTE_NOT_FOUND' } });
  });

  it('says that it lives and is ready', async () => {
    expect((await anyone.request('GET', '/health/live')).status).toBe(200);
    expect((await anyone.request('GET', '/health/ready')).status).toBe(200);
  });
});
