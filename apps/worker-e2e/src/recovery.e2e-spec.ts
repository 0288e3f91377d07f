import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import { ownRedisUrl, patience } from '@millrace/e2e-support';
import { Redis } from 'ioredis';
import { answerJson, CalledServer } from './testing/called-server';
import { actionStep, ServiceWithTargets } from './testing/service-with-targets';

jest.setTimeout(240_000 * patience);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const redisUrl = ownRedisUrl(process.env);

let target: ServiceWithTargets;

beforeAll(async () => {
  target = await ServiceWithTargets.start({ SVC_LOG_LEVEL: 'info' });
});
afterAll(async () => {
  expect(await target.service.stop()).toBe(0);
});

describe('a run that takes its worker down whenever it is executed', () => {
  let called: CalledServer;

  beforeAll(async () => {
    called = await CalledServer.start();
    called.on('/poison', () => target.service.kill('worker'));
  });
  afterAll(() => called.stop());

  it('is given up after five deaths, its neighbours end well, and it may be retried', async () => {
    const { service, project } = target;
    const killing = actionStep('poison', 'http.send_request', { method: 'POST', url: `${called.baseUrl}/poison` });
    const poison = await service.client.publishFlow(project, 'Poison', webhookTrigger([killing]));
    const slow = codeStep('slow', {}, 'export const code = async () => { await sleep(1500); return 1; };');
    const neighbour = await service.client.publishFlow(project, 'Neighbour', webhookTrigger([slow]));

    const neighbours = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => (await service.client.sendWebhook(neighbour.id, { n })).body.id),
    );
    const { id } = (await service.client.sendWebhook(poison.id, {})).body;
    const run = await service.client.endedRun(id, 150_000);

    expect(run).toMatchObject({ status: 'INTERNAL_ERROR', steps: {} });
    expect(run.statusReason).toMatch(/worker/);
    expect(called.callsTo('/poison')).toHaveLength(5);
    expect(new Set(called.callsTo('/poison').map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    for (const runId of neighbours)
      expect(await service.client.endedRun(runId, 60_000)).toMatchObject({ status: 'SUCCEEDED' });

    called.on('/poison', (answer) => answerJson(answer, { ok: true }));
    const strategy = { strategy: 'FROM_FAILED_STEP', projectId: project };
    const retry = await service.client.must<{ id: string }>('POST', `/flow-runs/${id}/retry`, strategy);
    expect(await service.client.endedRun(retry.id)).toMatchObject({ status: 'SUCCEEDED', retryOfRunId: id });
  });
});

describe('the logs', () => {
  const has = (app: 'api' | 'worker' | 'webhook-gateway' | 'launcher', line: object): void =>
    expect(target.service.logOf(app)).toEqual(expect.arrayContaining([expect.objectContaining(line)]));

  it('say what was started, what failed, what was killed and what was refused, and nothing of users', async () => {
    const { service, project } = target;
    const failing = codeStep('broken', {}, "export const code = async () => { throw new Error('of Ada Lovelace'); };");
    const flow = await service.client.publishFlow(project, 'Failing', webhookTrigger([failing]));
    const run = await service.client.endedRun((await service.client.sendWebhook(flow.id, {})).body.id);
    expect(run.status).toBe('FAILED');
    const stranger = { authorization: 'Bearer sk-nobody' };
    for (let n = 0; n < 5; n++) await fetch(`${service.client.baseUrl}/api/v1/flows`, { headers: stranger });
    const api = service.pidOf('api');
    service.kill('api', 'SIGTERM');
    const apiAnswers = async () => (await fetch(`${service.client.baseUrl}/api/v1/openapi.json`)).ok;
    while (service.pidOf('api') === api || !(await apiAnswers())) await pause(50);

    for (const app of ['api', 'worker', 'webhook-gateway'] as const) {
      has(app, { msg: 'Starting.', app, version: expect.any(String), database: expect.stringContaining('/') });
      has(app, { msg: 'Ready.', address: expect.stringContaining('http://') });
    }
    has('worker', { concurrency: 50, sandbox: expect.objectContaining({ memoryMb: 128 }) });
    const { id: runId } = run;
    const ending = { msg: 'A run ended badly.', runId, flowId: flow.id, projectId: project };
    has('worker', { ...ending, status: 'FAILED', failedStep: 'broken', reason: 'The step failed.' });
    has('launcher', { msg: 'The worker ended and is started again.', child: 'worker', how: 'SIGKILL' });
    has('api', { msg: 'Requests were refused in the last minute.', status: 401, count: expect.any(Number) });
    has('api', { msg: 'Stopping.', signal: 'SIGTERM' });
    has('api', { msg: 'Stopped.' });
    expect(JSON.stringify(service.logOf('worker'))).not.toContain('Lovelace');
  });
});

// With the queue in PostgreSQL there is no Redis that could lose anything.
if (redisUrl !== undefined)
  describe('a Redis that has lost everything', () => {
    const RUNS = 2_000;
    let redis: Redis;

    beforeAll(() => {
      redis = new Redis(redisUrl);
    });
    afterAll(() => redis.quit());

    it('takes no run with it: all go on within 60 s', async () => {
      const { service } = target;
      const project = await service.client.createProject('Lost by Redis');
      const flow = await service.client.publishFlow(project, 'Backlog', webhookTrigger([codeStep('step')]));
      const worker = service.pidOf('worker') ?? 0;
      process.kill(worker, 'SIGSTOP');
      const send = async (n: number) => (await service.client.sendWebhook(flow.id, { n })).status;
      for (let sent = 0; sent < RUNS; sent += 100)
        expect(new Set(await Promise.all(Array.from({ length: 100 }, (_, n) => send(sent + n))))).toEqual(
          new Set([200]),
        );

      await redis.flushdb();
      process.kill(worker, 'SIGCONT');
      const deadline = Date.now() + 60_000;
      const unfinished = () =>
        service.client.must<{ count: number }>('GET', `/flow-runs/count?projectId=${project}&status=RUNNING`);
      while ((await unfinished()).count > 0 && Date.now() < deadline) await pause(250);

      const succeeded = await service.client.must('GET', `/flow-runs/count?projectId=${project}&status=SUCCEEDED`);
      expect(succeeded).toEqual({ count: RUNS });
    });
  });
