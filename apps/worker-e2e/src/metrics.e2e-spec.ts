import { METRICS, type Metric, type MetricApp } from '@millrace/domain';
import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import { freePort } from '@millrace/e2e-support';
import { CalledServer } from './testing/called-server';
import { hasPromtool, promtoolSays, PrometheusText } from './testing/prometheus-text';
import { actionStep, ServiceWithTargets } from './testing/service-with-targets';

const TOKEN = 'c61b7a90d5e8432fc61b7a90d5e8432f';
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const hasMetrics = (baseUrl: string): Promise<boolean> =>
  PrometheusText.scrape(baseUrl, TOKEN).then(
    () => true,
    () => false,
  );
const APPS: readonly MetricApp[] = ['api', 'webhook-gateway', 'worker'];

describe('/metrics', () => {
  let target: ServiceWithTargets;
  let called: CalledServer;
  const urls = new Map<MetricApp, string>();
  const scrape = (app: MetricApp): Promise<PrometheusText> => PrometheusText.scrape(urls.get(app) ?? '', TOKEN);

  beforeAll(async () => {
    const [apiPort, workerPort] = [String(await freePort()), String(await freePort())];
    const env = { SVC_METRICS_TOKEN: TOKEN, SVC_API_PORT: apiPort, SVC_WORKER_PORT: workerPort };
    target = await ServiceWithTargets.start(env);
    called = await CalledServer.start();
    urls.set('api', `http://127.0.0.1:${apiPort}`);
    urls.set('worker', `http://127.0.0.1:${workerPort}`);
    urls.set('webhook-gateway', target.service.client.baseUrl);
    // A worker takes runs before it serves metrics. Until then another server answers probes at its port, and leaves.
    for (const url of urls.values()) while (!(await hasMetrics(url))) await pause(50);
  });
  afterAll(async () => {
    await called.stop();
    expect(await target.service.stop()).toBe(0);
  });

  it.each(APPS)('of the %s has the metrics that are documented for it, with the labels of each', async (app) => {
    const scraped = await scrape(app);
    const documented: Metric[] = Object.values(METRICS).filter(({ apps }) => apps.includes(app));

    expect(scraped.ownNames).toEqual(documented.map(({ name }) => name).sort());
    for (const { name, type, labels } of documented) {
      expect([name, scraped.types.get(name)]).toEqual([name, type]);
      for (const sample of scraped.samples.filter((each) => each.name === name))
        expect([name, Object.keys(sample.labels)]).toEqual([name, labels]);
    }
  });

  // Left out where there is no promtool (Debian: apt-get install prometheus).
  (hasPromtool() ? it : it.skip).each(APPS)('of the %s is as promtool wants it', async (app) => {
    expect(promtoolSays((await scrape(app)).text)).toBe('');
  });

  it('counts webhooks, runs, steps and calls', async () => {
    const { service, project } = target;
    const call = actionStep('call', 'http.send_request', { method: 'GET', url: `${called.baseUrl}/ok` });
    const bad = codeStep('bad', {}, 'export const code = async () => { throw new Error("no"); };');
    const flow = await service.client.publishFlow(project, 'Counted', webhookTrigger([call, bad]));
    const before = { gateway: await scrape('webhook-gateway'), worker: await scrape('worker') };

    const { id } = (await service.client.sendWebhook(flow.id, { secret: 'h7Gd-not-to-be-shown' })).body;
    await service.client.endedRun(id);
    await service.client.request('GET', '/flows/nothing-of-this-id');
    const after = { gateway: await scrape('webhook-gateway'), worker: await scrape('worker') };
    const api = await scrape('api');

    const added = (app: 'gateway' | 'worker', name: string, labels?: Record<string, string>): number =>
      after[app].valueOf(name, labels) - (before[app].valueOf(name, labels) || 0);
    expect(added('gateway', 'millrace_webhooks_accepted_total', { result: 'new_run' })).toBe(1);
    expect(added('gateway', 'millrace_webhook_accept_seconds_count')).toBe(1);
    expect(added('worker', 'millrace_run_claim_seconds_count')).toBe(1);
    expect(added('worker', 'millrace_runs_ended_total', { status: 'FAILED' })).toBe(1);
    expect(added('worker', 'millrace_steps_total', { type: 'CODE', status: 'FAILED' })).toBe(1);
    expect(added('worker', 'millrace_outbound_calls_total', { result: '2xx' })).toBe(1);
    expect(added('worker', 'millrace_sandbox_failures_total', { kind: 'threw' })).toBe(1);
    expect(api.valueOf('millrace_answers_refused_total', { code: 'ENTITY_NOT_FOUND' })).toBeGreaterThanOrEqual(1);
    for (const { text } of [after.gateway, after.worker, api])
      for (const secret of [id, flow.id, project, 'h7Gd-not-to-be-shown']) expect(text).not.toContain(secret);
  });

  it('shows one process that leads, which tells of the whole installation', async () => {
    let leaders: PrometheusText[] = [];
    while (leaders.length === 0) {
      const scraped = await Promise.all([scrape('worker'), scrape('api')]);
      leaders = scraped.filter((each) => each.valueOf('millrace_leader') === 1);
    }

    expect(leaders).toHaveLength(1);
    expect(leaders[0]?.valueOf('millrace_trigger_lag_seconds', { kind: 'poll' })).toBeGreaterThanOrEqual(0);
  });

  it.each([
    ['the gateway', 401, '/metrics', ''],
    ['the gateway', 401, '/%6detrics', ''],
    ['the api, through the gateway', 404, '/metrics/', TOKEN],
    ['the api, through the gateway', 400, '//metrics', TOKEN],
  ])('of %s is not public: %d for %s', async (_, status, path, token) => {
    const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` };
    const answer = await fetch(`${urls.get('webhook-gateway')}${path}`, { headers });

    expect(answer.status).toBe(status);
    expect(await answer.text()).not.toContain('millrace_');
  });
});
