import type { ControlSettings } from '@millrace/domain';
import { codeStep } from '@millrace/domain/testing';
import { patience, ServiceClient, serviceUnderTest, type RunAnswer } from '@millrace/e2e-support';
import { controlled, CUSTOMER, mostAtOnce, SLOW, startOf } from './testing/controlled-flow';
import { WatchedRuns } from './testing/watched-runs';

jest.setTimeout(240_000 * patience);

const QUICK = [codeStep('got', { payload: '{{ trigger }}' })];
const LONG_MS = 60_000;

describe('the control of runs', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let runs: WatchedRuns;

  beforeAll(async () => {
    runs = await WatchedRuns.inNewProject(client, 'Control of runs');
  });

  const publish = (control: ControlSettings, steps = QUICK): Promise<string> =>
    runs.publish(controlled(control, steps));
  const sendSync = (flowId: string, body: unknown) =>
    fetch(`${service.baseUrl}/api/v1/webhooks/${flowId}/sync`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('lets as many runs of a key execute at once as the limit says, the others wait in the order of arrival', async () => {
    const flowId = await publish({ concurrency: { limit: 2, key: CUSTOMER } }, SLOW);
    const sent: string[] = [];
    for (let n = 0; n < 6; n++) sent.push(await runs.send(flowId, { customer: 'ada', n }));
    const other = await runs.send(flowId, { customer: 'bob' });

    const last = await runs.once(sent[5] ?? '', ({ waitingOn }) => waitingOn?.reason !== undefined);
    expect(last).toMatchObject({ status: 'RUNNING', startTime: null, waitingOn: { kind: 'worker' } });
    expect(last.waitingOn?.reason).toBe(
      "The run waits for its turn by the flow's concurrency: at most 2 runs with the same key at once.",
    );
    expect((await runs.ended(other, LONG_MS)).status).toBe('SUCCEEDED');
    const ended = await Promise.all(sent.map((runId) => runs.ended(runId, LONG_MS)));
    expect(ended.map(({ status }) => status)).toEqual(sent.map(() => 'SUCCEEDED'));
    expect(mostAtOnce(ended)).toBe(2);
    const waited = ended.slice(2).map(startOf);
    expect(waited).toEqual([...waited].sort((a, b) => a - b));
  });

  it('gives the place of a cancelled run to the next', async () => {
    const sleep = [codeStep('sleep', {}, 'export const code = async () => { await sleep(50_000); };')];
    const flowId = await publish({ concurrency: { limit: 1 } }, sleep);
    const [first, second] = [await runs.send(flowId), await runs.send(flowId)];
    await runs.once(second, ({ waitingOn }) => waitingOn?.reason !== undefined);

    await runs.cancel(first);

    await runs.once(second, ({ startTime }) => startTime !== null);
    await runs.cancel(second);
  });

  it('begins no more runs within the window than the rate says', async () => {
    const flowId = await publish({ rateLimit: { limit: 1, windowSeconds: 2 } });
    const sent = [await runs.send(flowId), await runs.send(flowId), await runs.send(flowId)];

    const ended = await Promise.all(sent.map((runId) => runs.ended(runId, LONG_MS)));

    const starts = ended.map(startOf).sort((a, b) => a - b);
    // The rate counts from the decision, a moment before the start.
    for (const i of [1, 2]) expect((starts[i] ?? 0) - (starts[i - 1] ?? 0)).toBeGreaterThan(1_500);
  });

  it('tells the sender of a dropped run, and of a duplicate, what became of it', async () => {
    const dropping = await publish({ rateLimit: { limit: 1, windowSeconds: 600, overflow: 'drop' } });
    await runs.ended(await runs.send(dropping));
    const dropped = await sendSync(dropping, {});
    expect(dropped.status).toBe(429);
    expect(Number(dropped.headers.get('retry-after'))).toBeGreaterThan(500);
    expect(dropped.headers.get('ratelimit-remaining')).toBe('0');
    expect(await dropped.json()).toMatchObject({ statusCode: 429, code: 'RATE_LIMITED' });

    const deduping = await publish({ dedupe: { key: CUSTOMER, windowSeconds: 600 } });
    const first = await runs.send(deduping, { customer: 'ada' });
    await runs.ended(first);
    const duplicate = await sendSync(deduping, { customer: 'ada' });
    expect({ status: duplicate.status, body: await duplicate.json() }).toEqual({ status: 202, body: { id: first } });
    const run = await runs.ended(duplicate.headers.get('x-webhook-id') ?? '');
    expect(run).toMatchObject({ status: 'STOPPED', startTime: null });
    expect(run.statusReason).toContain(first);
  });

  it('executes the newest run of a debounced key', async () => {
    const flowId = await publish({ debounce: { seconds: 1 } });
    const sent: string[] = [];
    for (const n of [1, 2, 3]) sent.push(await runs.send(flowId, { n }));

    const [first, second, newest] = await Promise.all(sent.map((runId) => runs.ended(runId, LONG_MS)));

    expect(newest).toMatchObject({ status: 'SUCCEEDED' });
    expect([first?.status, second?.status]).toEqual(['STOPPED', 'STOPPED']);
    expect(second?.statusReason).toContain('superseded by run');
  });

  it('executes one run with the payloads of a batch', async () => {
    const flowId = await publish({ batch: { size: 3, seconds: 600, key: CUSTOMER } });
    const sent: string[] = [];
    for (const n of [1, 2, 3]) sent.push(await runs.send(flowId, { customer: 'ada', n }));

    const [leader, ...others] = await Promise.all(sent.map((runId) => runs.ended(runId, LONG_MS)));

    const payloads = leader?.steps?.['trigger']?.output as { body: { n: number } }[];
    expect(payloads.map(({ body }) => body.n)).toEqual([1, 2, 3]);
    expect(leader?.steps?.['got']?.output).toMatchObject({ payload: [{}, {}, {}] });
    for (const { status, statusReason } of others)
      expect({ status, statusReason }).toEqual({
        status: 'SUCCEEDED',
        statusReason: expect.stringContaining(leader?.id ?? ''),
      });
  });

  it('is not for test runs', async () => {
    const flowId = await publish({ rateLimit: { limit: 1, windowSeconds: 600 } });
    for (const _ of [1, 2]) {
      const { id } = await client.must<RunAnswer>('POST', `/flows/${flowId}/test-run`, { payload: {} });
      expect((await runs.ended(id)).status).toBe('SUCCEEDED');
    }
  });
});
