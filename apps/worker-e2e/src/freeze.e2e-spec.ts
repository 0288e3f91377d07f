import { codeStep, loop, webhookTrigger } from '@millrace/domain/testing';
import { ownRedisUrl, patience, ServiceProcess } from '@millrace/e2e-support';

/**
 * The number of freezes in a row. The default is one freeze, a little longer than a lease and the queue's lock on a
 * job. `MILLRACE_FREEZES=3` makes each freeze 45 s long, and repeats the test with kills between the freezes.
 */
const FREEZES = Number(process.env['MILLRACE_FREEZES'] ?? 1);
const FREEZE_MS = FREEZES > 1 ? 45_000 : 17_000;
const REQUESTS_PER_SECOND = FREEZES > 1 ? 100 : 40;
/** One run in this many takes as many seconds as half a freeze. */
const LONG_RUN_OF = 50;
const SETTLE_MS = 120_000 * patience;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const flow = webhookTrigger([
  loop('seconds', '{{ Array.from({ length: trigger.body.seconds }, (_, second) => second) }}', [
    codeStep('second', {}, 'export const code = async () => { await sleep(1000); return 1; };'),
  ]),
  codeStep('last', { n: '{{trigger.body.n}}' }, 'export const code = async ({ n }) => n;'),
]);

describe('two workers of which one after the other stands still', () => {
  let service: ServiceProcess;
  let second: ServiceProcess;

  beforeAll(async () => {
    const redisUrl = ownRedisUrl(process.env);
    service = await ServiceProcess.start(redisUrl ? { SVC_REDIS_URL: redisUrl } : {});
    second = await service.startWorker(redisUrl ? { SVC_REDIS_URL: redisUrl } : {});
  });

  afterAll(async () => {
    expect(await second.stop()).toBe(0);
    expect(await service.stop()).toBe(0);
  });

  const count = async (projectId: string, status: string): Promise<number> => {
    const path = `/flow-runs/count?projectId=${projectId}&status=${status}`;
    return (await service.client.must<{ count: number }>('GET', path)).count;
  };

  async function sendWhile(flowId: string, going: () => boolean): Promise<number> {
    const began = Date.now();
    const sent: Promise<number>[] = [];
    while (going()) {
      const n = sent.length;
      const seconds = n % LONG_RUN_OF === 0 ? FREEZE_MS / 2_000 : 0;
      sent.push(service.client.sendWebhook(flowId, { n, seconds }).then(({ status }) => status));
      await pause(began + (sent.length * 1_000) / REQUESTS_PER_SECOND - Date.now());
    }
    expect(new Set(await Promise.all(sent))).toEqual(new Set([200]));
    return sent.length;
  }

  it.each([
    ['while nothing else happens', false],
    ...(FREEZES > 1 ? ([['while the other one is killed', true]] as const) : []),
  ] as const)(
    'lose no run, and end none for it, %s',
    async (name, isKilled) => {
      const project = await service.client.createProject(`Frozen ${name}`);
      const { id: flowId } = await service.client.publishFlow(project, 'Stand still', flow);
      let going = true;
      const sending = sendWhile(flowId, () => going);

      await pause(1_000);
      for (let freeze = 0; freeze < FREEZES; freeze++) {
        const [frozen, other] = freeze % 2 === 0 ? [service, second] : [second, service];
        const thaw = frozen.freeze('worker');
        await pause(FREEZE_MS / 2);
        if (isKilled) other.kill('worker');
        await pause(FREEZE_MS / 2);
        thaw();
      }
      going = false;
      const accepted = await sending;
      const deadline = Date.now() + SETTLE_MS;
      while ((await count(project, 'RUNNING')) > 0 && Date.now() < deadline) await pause(250);

      const ended = { SUCCEEDED: await count(project, 'SUCCEEDED'), lost: await count(project, 'INTERNAL_ERROR') };
      expect(ended).toEqual({ SUCCEEDED: accepted, lost: 0 });
    },
    FREEZES * FREEZE_MS + SETTLE_MS + 60_000 * patience,
  );
});
