import { ownRedisUrl, patience, ServiceProcess } from '@millrace/e2e-support';
import { controlled, CUSTOMER, mostAtOnce, SLOW } from './testing/controlled-flow';
import { WatchedRuns } from './testing/watched-runs';

jest.setTimeout(240_000 * patience);

const LONG_MS = 60_000;

describe('the control of runs, while workers are killed', () => {
  let service: ServiceProcess;

  beforeAll(async () => {
    const redisUrl = ownRedisUrl(process.env);
    service = await ServiceProcess.start(redisUrl ? { SVC_REDIS_URL: redisUrl } : {});
  });

  afterAll(async () => {
    expect(await service.stop()).toBe(0);
  });

  it('holds its limit, and every run ends', async () => {
    const runs = await WatchedRuns.inNewProject(service.client, 'Killed');
    const flowId = await runs.publish(controlled({ concurrency: { limit: 1, key: CUSTOMER } }, SLOW));
    const sent: string[] = [];
    for (let n = 0; n < 6; n++) sent.push(await runs.send(flowId, { customer: 'ada', n }));

    for (const killedAt of [0, 2]) {
      await runs.once(sent[killedAt] ?? '', ({ startTime }) => startTime !== null, LONG_MS);
      service.kill('worker');
    }

    const ended = await Promise.all(sent.map((runId) => runs.ended(runId, 2 * LONG_MS)));
    expect(ended.map(({ status, steps }) => [status, steps?.['slow']?.output])).toEqual(
      sent.map((_, n) => ['SUCCEEDED', n]),
    );
    expect(mostAtOnce(ended)).toBe(1);
  });
});
