import type { FlowAction } from '@millrace/domain';
import { loop } from '@millrace/domain/testing';
import { patience, type RunAnswer } from '@millrace/e2e-support';
import { answerJson, CalledServer } from './testing/called-server';
import { actionStep, ServiceWithTargets } from './testing/service-with-targets';

jest.setTimeout(240_000 * patience);

/** A dead worker's lease has to expire before another worker continues the run. */
const AFTER_KILL_MS = 90_000;
const RETRY_BASE_SECONDS = 3;
const CALLS_IN_LOOP = 12;

describe('effects of a run whose worker is killed', () => {
  let targets: ServiceWithTargets;
  let server: CalledServer;

  beforeAll(async () => {
    server = await CalledServer.start();
    targets = await ServiceWithTargets.start({ SVC_STEP_RETRY_BASE_SECONDS: String(RETRY_BASE_SECONDS) });
  });

  afterAll(async () => {
    await server.stop();
    expect(await targets.service.stop()).toBe(0);
  });

  const call = (path: string, retries = false): FlowAction =>
    actionStep(
      'call',
      'http.send_request',
      { method: 'POST', url: `${server.baseUrl}${path}`, body: { n: 1 } },
      { retryOnFailure: { value: retries } },
    );
  const ended = (runId: string, withinMs = AFTER_KILL_MS) => targets.service.client.endedRun(runId, withinMs);
  const killWorker = () => expect(targets.service.kill('worker')).toBe(true);

  describe('once, with one run inside its call, one just answered and one waiting for its next attempt', () => {
    let inFlight: RunAnswer;
    let answered: RunAnswer;
    let retrying: RunAnswer;

    beforeAll(async () => {
      server.on('/retrying', (answer, _, earlier) => answerJson(answer, { earlier }, earlier < 2 ? 503 : 200));
      const arrived = new Promise<void>((resolve) =>
        server.on('/in-flight', (answer, _, earlier) => {
          if (earlier === 0) resolve(); // the request stays without an answer
          else answerJson(answer, { earlier });
        }),
      );
      const killed = new Promise<void>((resolve) =>
        server.on('/answered', (answer, _, earlier) => {
          if (earlier === 0)
            answer.once('finish', () => {
              killWorker();
              resolve();
            });
          answerJson(answer, { earlier });
        }),
      );

      const retryingId = await targets.start([call('/retrying', true)]);
      await targets.service.client.runOnce(retryingId, ({ steps }) => steps?.['call']?.status === 'RUNNING');
      const inFlightId = await targets.start([call('/in-flight')]);
      await arrived;
      const answeredId = await targets.start([call('/answered')]);
      await killed;

      inFlight = await ended(inFlightId);
      answered = await ended(answeredId);
      retrying = await ended(retryingId);
    }, AFTER_KILL_MS);

    it('repeats the call in flight once, under the same key', () => {
      expect(inFlight).toMatchObject({ status: 'SUCCEEDED', stepsCount: 1 });
      expect([...server.callsByKey('/in-flight')]).toEqual([[`${inFlight.id}:call`, 2]]);
    });

    it('repeats the call that was answered but not yet on record at most once, under the same key', () => {
      expect(answered).toMatchObject({ status: 'SUCCEEDED', stepsCount: 1 });
      const [[key, times] = []] = [...server.callsByKey('/answered')];
      expect(server.callsByKey('/answered').size).toBe(1);
      expect(key).toBe(`${answered.id}:call`);
      expect(times).toBeLessThanOrEqual(2);
    });

    it('goes on with the attempt that was due, instead of starting over', () => {
      expect(retrying).toMatchObject({ status: 'SUCCEEDED', steps: { call: { attempts: 3 } } });
      expect([...server.callsByKey('/retrying')]).toEqual([[`${retrying.id}:call`, 3]]);
    });
  });

  it('again and again in a loop: no call is lost, and no more are repeated than workers were killed', async () => {
    const killsAt = new Map([
      [2, 'before the answer'],
      [7, 'after the answer'],
    ]);
    let received = 0;
    server.on('/in-loop', (answer, { url }) => {
      const moment = killsAt.get(++received);
      if (moment === 'after the answer') answer.once('finish', killWorker);
      if (moment === 'before the answer') killWorker();
      else answerJson(answer, { url });
    });

    const items = Array.from({ length: CALLS_IN_LOOP }, (_, index) => index);
    const runId = await targets.start([loop('each', items, [call('/in-loop?n={{ each.item }}')])]);
    const run = await ended(runId, 2 * AFTER_KILL_MS);

    expect(run).toMatchObject({ status: 'SUCCEEDED', stepsCount: CALLS_IN_LOOP + 1 });
    const byKey = server.callsByKey('/in-loop');
    expect(new Set(byKey.keys())).toEqual(new Set(items.map((index) => `${run.id}:each[${index}].call`)));
    expect(Math.max(...byKey.values())).toBeLessThanOrEqual(2);
    expect(received - CALLS_IN_LOOP).toBeLessThanOrEqual(killsAt.size);
    expect(received).toBeGreaterThan(CALLS_IN_LOOP); // the call that was never answered
    const { iterations } = run.steps?.['each']?.output as { iterations: { call: { output: { body: unknown } } }[] };
    expect(iterations.map(({ call }) => call.output.body)).toEqual(items.map((n) => ({ url: `/in-loop?n=${n}` })));
  });
});
