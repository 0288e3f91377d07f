import { builtInStep, codeStep, webhookTrigger } from '@millrace/domain/testing';
import { GatewayProcess, patience, ServiceClient, serviceUnderTest } from '@millrace/e2e-support';
import { LoadBalancer } from './testing/load-balancer';

const SENDERS = 2;
const SENDERS_WHO_WAIT = 2;
/** Two gateways stop and start again. Each takes half a minute on a machine with much else to do. */
const PATIENCE_MS = 180_000 * patience;

const quick = webhookTrigger([codeStep('quick')]);
const slow = webhookTrigger([
  codeStep('slow', {}, 'export const code = async () => { await sleep(1500); return "done"; };'),
  builtInStep('answer', 'webhook', 'return_response', { fields: { body: '{{slow}}' }, responseType: 'raw' }),
]);

/** A sent request. `id` is the id of the run, for senders that do not wait for its response. */
interface Sent {
  outcome: string;
  id?: string;
}

describe('two gateways behind a load balancer', () => {
  const { baseUrl, adminApiKey, stores } = serviceUnderTest();
  const client = new ServiceClient(baseUrl, adminApiKey);
  let gateways: GatewayProcess[];
  let balancer: LoadBalancer;
  let isOver = false;

  const startGateway = (env: Record<string, string> = {}): Promise<GatewayProcess> =>
    GatewayProcess.start({ ...stores(), SVC_SHUTDOWN_DELAY_SECONDS: '2', ...env });

  beforeAll(async () => {
    gateways = await Promise.all([startGateway(), startGateway()]);
    balancer = await LoadBalancer.start(gateways.map((gateway) => gateway.baseUrl));
    for (const gateway of gateways) await balancer.finds(gateway.baseUrl);
  });

  afterAll(async () => {
    // A test that failed leaves its senders: without the balancer they would never let anything else happen.
    isOver = true;
    balancer.stop();
    await Promise.all(gateways.map((gateway) => gateway.stop()));
  });

  async function send(path: string): Promise<Sent> {
    try {
      const answer = await fetch(`${balancer.url}/api/v1/webhooks/${path}`, { method: 'POST' });
      const text = await answer.text();
      if (path.endsWith('/sync')) return { outcome: `${answer.status} ${text}` };
      return { outcome: String(answer.status), id: (JSON.parse(text) as { id: string }).id };
    } catch (error) {
      return { outcome: String(error) };
    }
  }

  async function sendWhile(path: string, isGoingOn: () => boolean): Promise<Sent[]> {
    const sent: Sent[] = [];
    while (isGoingOn()) sent.push(await send(path));
    return sent;
  }

  it(
    'are restarted one after the other, and no request fails or loses its run',
    async () => {
      const project = await client.createProject('Rolling restart');
      const { id: quickId } = await client.publishFlow(project, 'Quick', quick);
      const { id: slowId } = await client.publishFlow(project, 'Slow', slow);
      const paths = [
        ...Array<string>(SENDERS).fill(quickId),
        ...Array<string>(SENDERS_WHO_WAIT).fill(`${slowId}/sync`),
      ];
      const senders = paths.map((path) => sendWhile(path, () => !isOver));

      for (const [n, gateway] of gateways.entries()) {
        expect(await gateway.stop()).toBe(0);
        gateways[n] = await startGateway({ SVC_PORT: new URL(gateway.baseUrl).port });
        await balancer.finds(gateway.baseUrl);
      }
      isOver = true;
      const sent = (await Promise.all(senders)).flat();

      expect(new Set(sent.map(({ outcome }) => outcome))).toEqual(new Set(['200', '200 done']));
      const ids = sent.flatMap(({ id }) => id ?? []);
      expect(new Set(ids).size).toBe(ids.length);
      await client.endedRun(ids.at(-1) ?? '');
      expect(await succeeded(project, sent.length)).toBe(sent.length);
      expect(Math.min(...balancer.sent.values())).toBeGreaterThan(10);
    },
    PATIENCE_MS,
  );

  /** Returns the number of runs that succeeded, when it is the wanted number or no run is under way. */
  async function succeeded(project: string, wanted: number): Promise<number> {
    const count = async (status: string): Promise<number> => {
      const path = `/flow-runs/count?projectId=${project}&status=${status}`;
      return (await client.must<{ count: number }>('GET', path)).count;
    };
    for (;;) {
      const goesOn = await count('RUNNING');
      const runs = await count('SUCCEEDED');
      if (runs === wanted || goesOn === 0) return runs;
      await new Promise((again) => setTimeout(again, 100));
    }
  }
});
