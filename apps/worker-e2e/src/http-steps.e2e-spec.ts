import type { FlowAction } from '@millrace/domain';
import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest, type RunAnswer } from '@millrace/e2e-support';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { answerJson, CalledServer } from './testing/called-server';
import { actionStep, ServiceWithTargets } from './testing/service-with-targets';

const RETRY_AFTER_SECONDS = 2;
const retries = { retryOnFailure: { value: true } };

let targets: ServiceWithTargets;
let server: CalledServer;

beforeAll(async () => {
  server = await CalledServer.start();
  targets = await ServiceWithTargets.start({ SVC_STEP_RETRY_BASE_SECONDS: '0', SVC_WORKER_CONCURRENCY: '2' });
});

afterAll(async () => {
  await server.stop();
  expect(await targets.service.stop()).toBe(0);
});

const send = (path: string, input: Record<string, unknown> = {}, options = {}) =>
  actionStep('call', 'http.send_request', { method: 'GET', url: `${server.baseUrl}${path}`, ...input }, options);
const outputOf = (run: RunAnswer, step = 'call') => run.steps?.[step]?.output;

describe('http.send_request', () => {
  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('sends %s and gives the answer', async (method) => {
    const path = `/method-${method.toLowerCase()}`;

    const run = await targets.run([send(path, { method })]);

    expect(run.status).toBe('SUCCEEDED');
    expect(outputOf(run)).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: { ok: true },
    });
    expect(server.callsTo(path)).toMatchObject([{ method, headers: { 'idempotency-key': `${run.id}:call` } }]);
  });

  it.each([
    ['JSON', 'json', { n: '{{ trigger.body.n }}' }, 'application/json', '{"n":5}'],
    [
      'a form',
      'form',
      { n: '{{ trigger.body.n }}', of: 'a b&c' },
      'application/x-www-form-urlencoded',
      'n=5&of=a+b%26c',
    ],
    ['text as it is', 'raw', 'n is {{ trigger.body.n }}', 'text/plain; charset=utf-8', 'n is 5'],
  ])('sends %s', async (_, bodyType, body, contentType, sent) => {
    await targets.run([send(`/body-${bodyType}`, { method: 'POST', bodyType, body })], { n: 5 });

    expect(server.callsTo(`/body-${bodyType}`)).toMatchObject([
      { body: sent, headers: { 'content-type': contentType } },
    ]);
  });

  it.each([
    ['basic', { username: 'ada', password: 'pw' }, { authorization: `Basic ${btoa('ada:pw')}` }],
    ['bearer', { token: 'abc' }, { authorization: 'Bearer abc' }],
    ['header', { headerName: 'X-Api-Key', headerValue: 'abc' }, { 'x-api-key': 'abc' }],
  ])('authenticates by %s', async (authType, authFields, headers) => {
    await targets.run([send(`/auth-${authType}`, { authType, authFields })]);

    expect(server.callsTo(`/auth-${authType}`)).toMatchObject([{ headers }]);
  });

  it('adds headers and query parameters', async () => {
    await targets.run(
      [send('/parts?a=1', { headers: { 'X-Of': '{{ trigger.body.n }}' }, queryParams: { b: 'x y' } })],
      {
        n: 5,
      },
    );

    expect(server.callsTo('/parts')).toMatchObject([{ url: '/parts?a=1&b=x+y', headers: { 'x-of': '5' } }]);
  });

  it('fails on an error status, unless told that it is an answer like any other', async () => {
    server.on('/gone', (answer) => answerJson(answer, { why: 'moved out' }, 410));

    const failed = await targets.run([send('/gone')]);
    const taken = await targets.run([send('/gone', { failOnErrorStatus: false })]);

    expect(failed).toMatchObject({
      status: 'FAILED',
      failedStep: { name: 'call', message: expect.stringMatching(/410.*moved out/) },
    });
    expect(outputOf(taken)).toMatchObject({ status: 410, body: { why: 'moved out' } });
  });

  it('follows redirects, and takes no credentials to another origin', async () => {
    const other = await CalledServer.start();
    server.on('/moved', (answer) => answer.writeHead(302, { location: `${other.baseUrl}/here` }).end());
    const secret = { authType: 'bearer', authFields: { token: 'for-the-first-only' } };

    const followed = await targets.run([send('/moved', secret)]);
    const stayed = await targets.run([send('/moved', { ...secret, followRedirects: false })]);
    const arrived = other.callsTo('/here');
    await other.stop();

    expect(outputOf(followed)).toMatchObject({ status: 200, body: { ok: true } });
    expect(outputOf(stayed)).toMatchObject({ status: 302 });
    expect(arrived).toHaveLength(1);
    expect(arrived[0]?.headers).not.toHaveProperty('authorization');
    expect(server.callsTo('/moved')[0]?.headers).toHaveProperty('authorization');
  });

  it('waits as long as the server asks before the next attempt', async () => {
    const at: number[] = [];
    server.on('/busy', (answer, _, earlier) => {
      at.push(performance.now());
      if (earlier > 0) answerJson(answer, { earlier });
      else answerJson(answer, {}, 429, { 'retry-after': String(RETRY_AFTER_SECONDS) });
    });

    const run = await targets.run([send('/busy', {}, retries)]);

    expect(run).toMatchObject({
      status: 'SUCCEEDED',
      steps: { call: { attempts: 2, output: { body: { earlier: 1 } } } },
    });
    expect(at).toHaveLength(2);
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(RETRY_AFTER_SECONDS * 1_000 - 50);
  });

  it('pauses the run when the server asks to wait for long', async () => {
    server.on('/asks-for-long', (answer) => answerJson(answer, {}, 429, { 'retry-after': '60' }));

    const runId = await targets.start([send('/asks-for-long', {}, retries)]);
    const run = await targets.service.client.runOnce(runId, ({ status }) => status === 'PAUSED');

    expect(run).toMatchObject({ waitingOn: { kind: 'timer' }, steps: { call: { status: 'PAUSED' } } });
    expect(run.steps?.['call']?.errorMessage).toContain('429');
    expect(server.callsTo('/asks-for-long')).toHaveLength(1);
  });

  it('gives up after four attempts, all under one key', async () => {
    server.on('/never', (answer) => answerJson(answer, {}, 503));

    const run = await targets.run([send('/never', {}, retries)]);

    expect(run).toMatchObject({ status: 'FAILED', steps: { call: { attempts: 4, status: 'FAILED' } } });
    expect([...server.callsByKey('/never')]).toEqual([[`${run.id}:call`, 4]]);
  });

  it('refuses to call inside the network when nothing there is allowed', async () => {
    const { baseUrl, adminApiKey } = serviceUnderTest();
    const client = new ServiceClient(baseUrl, adminApiKey);
    const project = await client.createProject('No targets');
    const { id } = await client.publishFlow(project, 'Refused', webhookTrigger([send('/refused')]));

    const run = await client.endedRun((await client.sendWebhook(id, {})).body.id);

    expect(run).toMatchObject({ status: 'FAILED', failedStep: { message: expect.stringMatching(/not allowed/) } });
    expect(server.callsTo('/refused')).toEqual([]);
  });
});

describe('store', () => {
  it('keeps texts and lists from one step, and one run, to the next', async () => {
    const steps = [
      actionStep('kept', 'store.put', { key: 'text', value: 'a', scope: 'PROJECT' }),
      actionStep('longer', 'store.append', { key: 'text', value: '{{ kept }}b', scope: 'PROJECT' }),
      actionStep('list', 'store.add_to_list', { key: 'list', value: { n: '{{ trigger.body.n }}' }, scope: 'PROJECT' }),
      actionStep('got', 'store.get', { key: 'text', scope: 'PROJECT' }),
      actionStep('of_run', 'store.get', { key: 'text', scope: 'RUN' }),
    ];

    const first = await targets.run(steps, { n: 1 });
    const second = await targets.run(steps, { n: 2 });

    expect(first).toMatchObject({ status: 'SUCCEEDED', steps: { got: { output: 'aab' }, of_run: { output: null } } });
    expect(outputOf(first, 'list')).toEqual([{ n: 1 }]);
    expect(outputOf(second, 'list')).toEqual([{ n: 1 }, { n: 2 }]);
  });
});

describe('data_mapper', () => {
  it('gives the mapping with its values', async () => {
    const mapping = { id: '{{ trigger.body.id }}', all: { text: 'no {{ trigger.body.id }}' } };

    const run = await targets.run([actionStep('map', 'data_mapper.advanced_mapping', { mapping })], { id: 7 });

    expect(outputOf(run, 'map')).toEqual({ id: 7, all: { text: 'no 7' } });
  });
});

describe('flow_control', () => {
  const tag = (name: string, of: string) => actionStep(name, 'flow_control.add_tag', { name: of });

  it('adds tags to the run and ends it where it is told to', async () => {
    const run = await targets.run(
      [
        tag('vip', 'vip'),
        tag('again', 'vip'),
        tag('large', '{{ trigger.body.size }}'),
        actionStep('stop', 'flow_control.stop', { status: 'SUCCEEDED', message: 'enough' }),
        codeStep('never'),
      ],
      { size: 'large' },
    );

    expect(run).toMatchObject({ status: 'SUCCEEDED', tags: ['vip', 'large'], stepsCount: 4 });
    expect(run.steps).not.toHaveProperty('never');
  });

  it('ends the run as failed, with the message', async () => {
    const stop = actionStep('stop', 'flow_control.stop', { status: 'FAILED', message: 'No {{ trigger.body.what }}.' });

    const run = await targets.run([stop, codeStep('never')], { what: 'stock' });

    expect(run).toMatchObject({ status: 'FAILED', failedStep: { name: 'stop', message: 'No stock.' } });
    expect(run.steps).not.toHaveProperty('never');
  });
});

describe('smtp.send_email', () => {
  it('sends through the mail server of a connection', async () => {
    const received: { to: string[]; user: unknown; text: string }[] = [];
    const mail = new SMTPServer({
      allowInsecureAuth: true,
      hideSTARTTLS: true,
      onAuth: ({ username, password }, _, done) =>
        password === 'mail-password' ? done(null, { user: username }) : done(new Error('Wrong password')),
      onData: (stream, { envelope, user }, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          received.push({
            to: envelope.rcptTo.map(({ address }) => address),
            user,
            text: Buffer.concat(chunks).toString(),
          });
          done();
        });
      },
    });
    mail.listen(0, '127.0.0.1');
    await once(mail.server, 'listening');
    const { port } = mail.server.address() as AddressInfo;
    await targets.connect('mail', 'CUSTOM_AUTH', {
      props: {
        host: '127.0.0.1',
        port,
        secure: false,
        username: 'ada',
        password: 'mail-password',
        from: 'ada@example.com',
      },
    });

    const input = { to: ['bob@example.com'], subject: 'Order {{ trigger.body.n }}', body: 'It is on its way.' };
    const run = await targets.run(
      [actionStep('mail', 'smtp.send_email', { auth: "{{ connections['mail'] }}", ...input })],
      { n: 5 },
    );
    await new Promise<void>((resolve) => mail.close(resolve));

    expect(run).toMatchObject({ status: 'SUCCEEDED', steps: { mail: { output: { accepted: ['bob@example.com'] } } } });
    expect(received).toMatchObject([{ to: ['bob@example.com'], user: 'ada' }]);
    expect(received[0]?.text).toMatch(/Subject: Order 5\r\n/);
    expect(received[0]?.text).toContain('It is on its way.');
    expect(JSON.stringify(run)).not.toContain('mail-password');
  });
});

describe('a run, while three times as many runs of another project as there are slots', () => {
  const SLOW_RUNS = 6;
  const BEGINS_WITHIN_MS = 2_000;

  it.each<[kind: string, step: () => FlowAction]>([
    ['await an answer from outside', () => send('/answers-never')],
    ['wait for a retry', () => send('/busy-for-long', {}, retries)],
    ['sleep', () => codeStep('nap', {}, 'export const code = async () => { await sleep(30000); };')],
  ])('%s, begins and ends at once', async (_kind, step) => {
    server.on('/answers-never', () => undefined);
    server.on('/busy-for-long', (answer) => answerJson(answer, {}, 429, { 'retry-after': '9' }));
    const { client } = targets.service;
    const { id } = await client.publishFlow(targets.project, 'Slow', webhookTrigger([step()]));
    const slow = await Promise.all(Array.from({ length: SLOW_RUNS }, () => client.sendWebhook(id, {})));
    for (const { body } of slow) await client.runOnce(body.id, ({ startTime }) => startTime !== null);

    const neighbour = await client.createProject('Neighbour');
    const flow = await client.publishFlow(neighbour, 'Quick', webhookTrigger([codeStep('quick')]));
    const started = (await client.sendWebhook(flow.id, {})).body.id;
    const run = await client.endedRun(started, BEGINS_WITHIN_MS);

    expect(run).toMatchObject({ status: 'SUCCEEDED', startTime: expect.any(String) });
    const flowRunIds = slow.map(({ body }) => body.id);
    const ended = await client.must('POST', '/flow-runs/cancel', { projectId: targets.project, flowRunIds });
    expect(ended).toEqual({ cancelled: SLOW_RUNS });
  });
});
