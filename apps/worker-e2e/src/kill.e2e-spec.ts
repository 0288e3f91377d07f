import { codeStep, loop, webhookTrigger } from '@millrace/domain/testing';
import { ownRedisUrl, patience, ServiceProcess } from '@millrace/e2e-support';

const KILLS = Number(process.env['MILLRACE_KILLS'] ?? 10);
const SECONDS_BETWEEN_KILLS = 2;
const REQUESTS_PER_SECOND = 40;
const SETTLE_MS = 60_000 * patience;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const randomBetween = (from: number, to: number) => from + Math.random() * (to - from);

/** Short runs are mixed with runs that sleep until they are claimed, so that kills hit both kinds. */
const flow = webhookTrigger([
  codeStep(
    'first',
    { n: '{{trigger.body.n}}', slow: '{{trigger.body.slow}}' },
    'export const code = async ({ n, slow }) => { if (slow) await sleep(1500); return n; };',
  ),
  loop('loop', '{{[1, 2, 3]}}', [
    codeStep('inner', { n: '{{first}}', i: '{{loop.item}}' }, 'export const code = async ({ n, i }) => n * i;'),
  ]),
]);

interface RunsPage {
  data: { id: string; status: string }[];
  next: string | null;
}

async function sendWhile(service: ServiceProcess, flowId: string, going: () => boolean): Promise<Map<string, number>> {
  const acknowledged = new Map<string, number>();
  const underWay = new Set<Promise<void>>();
  for (let n = 0; going(); n++) {
    const sent = service.client
      .sendWebhook(flowId, { n, slow: n % 10 === 0 })
      .then((answer) => {
        if (answer.status === 200) acknowledged.set(answer.body.id, n);
      })
      .catch((error: unknown) => {
        // The gateway was just killed. It promises nothing without an answer.
        expect(String(error)).toMatch(/fetch failed|terminated|socket/);
      })
      .finally(() => underWay.delete(sent));
    underWay.add(sent);
    await pause(1_000 / REQUESTS_PER_SECOND);
  }
  await Promise.all(underWay);
  return acknowledged;
}

/**
 * Returns the ids of runs that are unfinished when all have come to rest, or when the time is over. A process that was
 * just killed may not answer yet.
 */
async function unfinishedAfter(service: ServiceProcess, projectId: string, settleMs: number): Promise<string[]> {
  const deadline = Date.now() + settleMs;
  const path = `/flow-runs?projectId=${projectId}&status=RUNNING&limit=100`;
  for (;;) {
    const page = await service.client.request<RunsPage>('GET', path).catch(() => null);
    if (page?.status === 200 && (page.body.data.length === 0 || Date.now() > deadline))
      return page.body.data.map((run) => run.id);
    if (Date.now() > deadline + 10_000) throw new Error(`The service did not answer ${settleMs} ms after the kills.`);
    await pause(250);
  }
}

async function expectEachEndedOnce(service: ServiceProcess, acknowledged: Map<string, number>): Promise<void> {
  for (const [runId, n] of acknowledged) {
    const run = await service.client.endedRun(runId, 1_000);
    expect(run.status).toBe('SUCCEEDED');
    expect(run.steps?.['first']?.output).toBe(n);
    const { iterations } = run.steps?.['loop']?.output as { iterations: { inner: { output: number } }[] };
    expect(iterations.map(({ inner }) => inner.output)).toEqual([n, 2 * n, 3 * n]);
    expect(run.stepsCount).toBe(5);
  }
}

describe('a service whose processes are killed under load', () => {
  let service: ServiceProcess;

  beforeAll(async () => {
    const redisUrl = ownRedisUrl(process.env);
    service = await ServiceProcess.start(redisUrl ? { SVC_REDIS_URL: redisUrl } : {});
  });

  afterAll(async () => {
    expect(await service.stop()).toBe(0);
  });

  it.each([
    ['kill -9 of the worker', 'SIGKILL', ['worker'], KILLS],
    ['kill -9 of any of the processes', 'SIGKILL', ['webhook-gateway', 'worker', 'api'], KILLS],
    ['SIGTERM to the worker', 'SIGTERM', ['worker'], Math.ceil(KILLS / 3)],
  ] as const)(
    'loses no acknowledged webhook, runs none twice and leaves none running: %s, again and again',
    async (_, signal, apps, times) => {
      const project = await service.client.createProject('To be killed');
      const { id: flowId } = await service.client.publishFlow(project, 'Kill me', flow);
      let going = true;
      const sending = sendWhile(service, flowId, () => going);

      let killed = 0;
      while (killed < times) {
        await pause(randomBetween(0.5, 1.5) * SECONDS_BETWEEN_KILLS * 1_000);
        if (service.kill(apps[killed % apps.length] ?? 'worker', signal)) killed++;
      }
      going = false;
      const acknowledged = await sending;

      expect(await unfinishedAfter(service, project, SETTLE_MS)).toEqual([]);
      expect(acknowledged.size).toBeGreaterThan(times * SECONDS_BETWEEN_KILLS);
      await expectEachEndedOnce(service, acknowledged);
    },
    KILLS * SECONDS_BETWEEN_KILLS * 2_000 + SETTLE_MS + 60_000 * patience,
  );
});
