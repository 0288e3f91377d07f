import { randomBytes } from 'node:crypto';
import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import { ownRedisUrl, ServiceClient, ServiceProcess, type Answer, type GatewayProcess } from '@millrace/e2e-support';

/** On a busy machine the two projects below get many more than their bound before the gateway counts again. */
const RUNS = 250;
const RUNS_OF_A_PROJECT = 20;
const MEGABYTES = 2;
/** The bound counts stored bytes, which are compressed where possible, so this text is random. */
const LARGE = { text: randomBytes(125_000).toString('base64') };
const AGE_SECONDS = 2;
/** No disk has this much space. */
const DISK_FLOOR_MB = 2 ** 40;
/** The test fails after this many posts, because the bound was not kept. */
const MOST_POSTS = 1_000;
const ASK_AGAIN_MS = 100;

type Refusal = readonly [status: number, code: string];
const OF_PROJECT: Refusal = [429, 'RATE_LIMITED'];
const OF_ALL: Refusal = [503, 'SERVICE_UNAVAILABLE'];

/** A flow in a project of its own, with the requests that it got until one was refused. */
interface Filled {
  flowId: string;
  project: string;
  accepted: string[];
  refusal: Answer<unknown>;
}

describe('a gateway while no worker lives', () => {
  const redisUrl = ownRedisUrl(process.env);
  const queue: Record<string, string> = redisUrl ? { SVC_REDIS_URL: redisUrl } : {};
  const filled: Filled[] = [];
  let service: ServiceProcess;
  let gateways: { runs: GatewayProcess; bytes: GatewayProcess; age: GatewayProcess; disk: GatewayProcess };

  beforeAll(async () => {
    service = await ServiceProcess.start({
      SVC_CONTAINER_TYPE: 'APP',
      SVC_INTAKE_MAX_PENDING_RUNS_PER_PROJECT: String(RUNS_OF_A_PROJECT),
      ...queue,
    });
    const [runs, bytes, age, disk] = await Promise.all([
      service.startGateway({ SVC_INTAKE_MAX_PENDING_RUNS: String(RUNS), ...queue }),
      service.startGateway({ SVC_INTAKE_MAX_PENDING_MB: String(MEGABYTES), ...queue }),
      service.startGateway({ SVC_INTAKE_MAX_PENDING_AGE_SECONDS: String(AGE_SECONDS), ...queue }),
      service.startGateway({ SVC_INTAKE_MIN_FREE_DISK_MB: String(DISK_FLOOR_MB), ...queue }),
    ]);
    gateways = { runs, bytes, age, disk };
  });

  afterAll(async () => {
    expect(await Promise.all(Object.values(gateways).map((gateway) => gateway.stop()))).toEqual([0, 0, 0, 0]);
    expect(await service.stop()).toBe(0);
  });

  const at = (gateway: GatewayProcess): ServiceClient => new ServiceClient(gateway.baseUrl, null);

  async function fill(client: ServiceClient, body: unknown = {}): Promise<Filled> {
    const project = await service.client.createProject('Full');
    const { id: flowId } = await service.client.publishFlow(project, 'Full', webhookTrigger([codeStep('quick')]));
    const accepted: string[] = [];
    while (accepted.length < MOST_POSTS) {
      const answer = await client.sendWebhook(flowId, body);
      if (answer.status !== 200) {
        const refused = { flowId, project, accepted, refusal: answer };
        filled.push(refused);
        return refused;
      }
      accepted.push(answer.body.id);
    }
    throw new Error(`${MOST_POSTS} webhooks were accepted.`);
  }

  function expectRefusal({ status, headers, body }: Answer<unknown>, [statusCode, code]: Refusal, why: RegExp): void {
    expect({ status, body }).toEqual({
      status: statusCode,
      body: { statusCode, code, params: { message: expect.stringMatching(why) as string } },
    });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    if (statusCode === 429) expect(headers.get('ratelimit-limit')).toBe(String(RUNS_OF_A_PROJECT));
  }

  it('refuses a project above its bound with 429, and still accepts for another one', async () => {
    const { accepted, refusal } = await fill(service.client);

    expect(accepted.length).toBeGreaterThanOrEqual(RUNS_OF_A_PROJECT);
    expectRefusal(refusal, OF_PROJECT, /this project/);
    const other = await fill(service.client);
    expect(other.accepted.length).toBeGreaterThanOrEqual(RUNS_OF_A_PROJECT);
  });

  it('refuses everybody with 503 above the bound of runs', async () => {
    const { accepted, refusal } = await fill(at(gateways.runs));

    const all = filled.reduce((total, each) => total + each.accepted.length, 0);
    expect(accepted.length).toBeGreaterThan(0);
    expect(all).toBeGreaterThanOrEqual(RUNS);
    expectRefusal(refusal, OF_ALL, /Too many runs wait to begin/);
  });

  it('refuses with 503 above the bound of bytes', async () => {
    const { accepted, refusal } = await fill(at(gateways.bytes), LARGE);

    expect(accepted.length * LARGE.text.length).toBeGreaterThan(MEGABYTES * 2 ** 20);
    expectRefusal(refusal, OF_ALL, /Too many runs wait to begin/);
  });

  it('refuses with 503 once a run has waited for too long', async () => {
    const { refusal } = await fill(at(gateways.age));

    expectRefusal(refusal, OF_ALL, /wait too long/);
  });

  it('refuses with 503 while less is free on the disk than its floor, from the first request on', async () => {
    const { accepted, refusal } = await fill(at(gateways.disk));

    expect(accepted).toEqual([]);
    expectRefusal(refusal, OF_ALL, /disk is nearly full/);
  });

  it('runs all that was accepted, each once, when a worker comes, and then accepts again by itself', async () => {
    const accepted = filled.map(({ accepted: ids }) => ids.length);
    const worker = await service.startWorker(queue);

    await until(async () => String(await runsOf('&status=SUCCEEDED')) === String(accepted));

    expect(await runsOf()).toEqual(accepted);
    const { flowId } = filled[0] as Filled;
    for (const client of [service.client, at(gateways.runs), at(gateways.bytes), at(gateways.age)])
      await until(async () => (await client.sendWebhook(flowId, {})).status === 200);
    expect(await worker.stop()).toBe(0);
  });

  const runsOf = (query = ''): Promise<number[]> =>
    Promise.all(
      filled.map(async ({ project }) => {
        const path = `/flow-runs/count?projectId=${project}${query}`;
        return (await service.client.must<{ count: number }>('GET', path)).count;
      }),
    );

  /** Waits for the condition; the test's own time-out ends a longer wait. */
  async function until(isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) await new Promise((again) => setTimeout(again, ASK_AGAIN_MS));
  }
});
