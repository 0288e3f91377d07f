import { builtInStep, codeStep } from '@millrace/domain/testing';
import type { FlowAction } from '@millrace/domain';
import { patience, type RunAnswer } from '@millrace/e2e-support';
import { CalledServer } from './testing/called-server';
import { actionStep, ServiceWithTargets } from './testing/service-with-targets';

/** The longest time from the call that cancels a run to the worker's last record of the run. */
const STOPS_WITHIN_MS = 2_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const code = (body: string) => codeStep('held', {}, `export const code = async () => { ${body} };`);
const sleep = 'await sleep(60_000);';

describe('cancelling a run', () => {
  let target: ServiceWithTargets;
  let called: CalledServer;

  beforeAll(async () => {
    called = await CalledServer.start();
    target = await ServiceWithTargets.start({ SVC_SANDBOX_CPU_SECONDS: '60' });
  });
  afterAll(async () => {
    await called.stop();
    expect(await target.service.stop()).toBe(0);
  });

  const read = (runId: string) => target.service.client.must<RunAnswer>('GET', `/flow-runs/${runId}`);
  const cancel = (flowRunIds: string[]) =>
    target.service.client.must<{ cancelled: number }>('POST', '/flow-runs/cancel', {
      projectId: target.project,
      flowRunIds,
    });

  const until = (runId: string, isSo: (run: RunAnswer) => boolean, withinMs: number) =>
    target.service.client.runOnce(runId, isSo, withinMs);

  /** Starts a run and waits until it has been in its second step long enough to be claimed. */
  async function runHeldBy(step: FlowAction): Promise<string> {
    const runId = await target.start([codeStep('before'), step]);
    await until(runId, ({ steps }) => steps?.['before']?.status === 'SUCCEEDED', 20_000);
    return runId;
  }

  it.each([
    ['computes for ever', code('for (;;) {}')],
    ['sleeps', code(sleep)],
  ])('stops a code step that %s', async (_what, step) => {
    const runId = await runHeldBy(step);
    expect(await read(runId)).toMatchObject({ status: 'RUNNING', stepsCount: 1 });

    expect(await cancel([runId])).toEqual({ cancelled: 1 });

    const stopped = await until(runId, ({ steps }) => steps?.['held']?.status === 'STOPPED', STOPS_WITHIN_MS);
    expect(stopped).toMatchObject({ status: 'STOPPED', steps: { before: { status: 'SUCCEEDED' } } });
  });

  it('ends the call of an HTTP step that gets no answer', async () => {
    let closed = (): void => undefined;
    const hungUp = new Promise<void>((resolve) => (closed = resolve));
    called.on('/hangs', (answer) => void answer.on('close', closed));
    const step = actionStep('held', 'http.send_request', { method: 'POST', url: `${called.baseUrl}/hangs` });
    const runId = await runHeldBy(step);
    await until(runId, () => called.callsTo('/hangs').length > 0, 5_000);

    await cancel([runId]);

    const inTime = pause(STOPS_WITHIN_MS * patience).then(() => 'too late');
    expect(await Promise.race([hungUp.then(() => 'hung up'), inTime])).toBe('hung up');
    await until(runId, ({ steps }) => steps?.['held']?.status === 'STOPPED', STOPS_WITHIN_MS);
  });

  it('ends a run that waits, and what it waits for', async () => {
    const steps = [builtInStep('wait', 'delay', 'delay_for', { unit: 'seconds', delayFor: 3 }), codeStep('after')];
    const runId = await target.start(steps);
    await until(runId, ({ status }) => status === 'PAUSED', 20_000);

    await cancel([runId]);
    await pause(5_000);

    expect(await read(runId)).toMatchObject({ status: 'STOPPED', steps: { wait: { status: 'STOPPED' } } });
    expect((await read(runId)).steps).not.toHaveProperty('after');
  });

  it('counts only what it stopped', async () => {
    const runId = await runHeldBy(code(sleep));

    expect(await cancel([runId])).toEqual({ cancelled: 1 });
    expect(await cancel([runId])).toEqual({ cancelled: 0 });
  });
});
