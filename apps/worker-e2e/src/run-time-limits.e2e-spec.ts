import type { FlowAction } from '@millrace/domain';
import { builtInStep, builtInTrigger, codeStep } from '@millrace/domain/testing';
import { patience, type RunAnswer } from '@millrace/e2e-support';
import { answerJson, CalledServer } from './testing/called-server';
import { actionStep, ServiceWithTargets } from './testing/service-with-targets';
import { WatchedRuns } from './testing/watched-runs';

/** What a run does within it takes a fraction of it, which grows on a slow machine. */
const LIMIT_SECONDS = Math.ceil(3 * patience);
const partOfLimit = (share: number): number => LIMIT_SECONDS * 1_000 * share;
/** Duties may be this late when the process that performs them is lost at the same moment. */
const DUTIES_LATE_BY_MS = 15_000;
/** A live worker ends a run within this time. */
const ENDED_WITHIN_MS = LIMIT_SECONDS * 1_000 + 5_000;
const STOPS_WITHIN_MS = 2_000 * patience;
const RANDOM = 'export const code = async () => Math.random();';

const sleep = (name: string, ms: number) =>
  codeStep(name, {}, `export const code = async () => { await sleep(${ms}); };`);
const delay = (seconds: number) => builtInStep('nap', 'delay', 'delay_for', { unit: 'seconds', delayFor: seconds });
const waitForApproval = builtInStep('ask', 'approval', 'wait_for_approval');
const callFlow = (input: Record<string, unknown>) => builtInStep('call', 'subflows', 'call_flow', input);

describe(`a run that may take ${LIMIT_SECONDS} seconds`, () => {
  let targets: ServiceWithTargets;
  let server: CalledServer;
  let runs: WatchedRuns;
  /** The runs start together, because each of them takes its time. */
  let started: Record<'patient' | 'busyBetween' | 'caller' | 'parent' | 'child', string>;

  beforeAll(async () => {
    server = await CalledServer.start();
    targets = await ServiceWithTargets.start({ SVC_FLOW_TIMEOUT_SECONDS: String(LIMIT_SECONDS) });
    runs = await WatchedRuns.inNewProject(targets.service.client, 'Time limits');
    const slow = await runs.publish(builtInTrigger('subflows', 'callable_flow', [sleep('slow', 60_000)]));
    const parent = (await runs.paused(await runs.start([waitForApproval]))).id;
    started = {
      patient: await runs.start([delay(LIMIT_SECONDS + 1), codeStep('after')]),
      // Each part is shorter than the limit, and the first by far, because a busy machine makes it longer.
      busyBetween: await runs.start([sleep('before', partOfLimit(0.1)), delay(1), sleep('after', partOfLimit(0.95))]),
      caller: await runs.start([callFlow({ flowId: slow, waitForResponse: true })]),
      parent,
      child: await childOf(parent, slow),
    };
  });

  afterAll(async () => {
    await server.stop();
    expect(await targets.service.stop()).toBe(0);
  });

  const call = (path: string): FlowAction =>
    actionStep('call', 'http.send_request', { method: 'POST', url: `${server.baseUrl}${path}` });

  /** Waits for the other runs before the worker is frozen, because the freeze would count for their time. */
  const othersEnded = (): Promise<unknown> => Promise.all(Object.values(started).map((runId) => runs.ended(runId)));

  /** Starts a child run that fails its parent unless it succeeds. */
  async function childOf(parentRunId: string, flowId: string): Promise<string> {
    const headers = { 'svc-parent-run-id': parentRunId, 'svc-fail-parent-on-failure': 'true' };
    const answer = await runs.client.request<{ id: string }>('POST', `/flows/${flowId}/run`, {}, headers);
    expect(answer.status).toBe(201);
    return answer.body.id;
  }

  it('is RUNNING without a start, and without steps, until a worker takes it', async () => {
    const worker = targets.service.pidOf('worker') ?? 0;
    const flowId = await runs.publish([codeStep('step')]);
    await othersEnded();
    process.kill(worker, 'SIGSTOP');
    try {
      const runId = await runs.send(flowId);
      const waiting = await runs.read(runId);
      expect(waiting).toMatchObject({
        status: 'RUNNING',
        startTime: null,
        finishTime: null,
        stepsCount: 0,
        waitingOn: { kind: 'worker', since: waiting.created },
      });
      expect(waiting).not.toHaveProperty('steps');
      expect(await runs.listed(`&flowRunIds=${runId}`)).toMatchObject([
        { status: 'RUNNING', startTime: null, waitingOn: { kind: 'worker' } },
      ]);
      process.kill(worker, 'SIGCONT');
      expect(await runs.ended(runId)).toMatchObject({ status: 'SUCCEEDED', startTime: expect.any(String) as string });
    } finally {
      process.kill(worker, 'SIGCONT');
    }
  });

  it('is ended on time while no worker lives, and a wait that is due is ended as well', async () => {
    await othersEnded();
    const worker = targets.service.pidOf('worker') ?? 0;
    const napping = (await runs.paused(await runs.start([delay(LIMIT_SECONDS + 1), codeStep('after')]))).id;
    const busy = await runs.start([sleep('long', 50_000)]);
    await runs.once(busy, ({ startTime }) => startTime !== null);

    process.kill(worker, 'SIGSTOP');
    try {
      const woken = runs.once(napping, ({ status }) => status === 'RUNNING', DUTIES_LATE_BY_MS + LIMIT_SECONDS * 1_000);
      const timedOut = await runs.ended(busy, LIMIT_SECONDS * 1_000 + DUTIES_LATE_BY_MS);
      expect(timedOut).toMatchObject({ status: 'TIMEOUT' });
      expect(await woken).toMatchObject({ waitingOn: { kind: 'worker' } });
    } finally {
      process.kill(worker, 'SIGCONT');
    }

    expect(await runs.ended(napping)).toMatchObject({ status: 'SUCCEEDED', steps: { after: { status: 'SUCCEEDED' } } });
  });

  it('ends as TIMEOUT when it takes longer, and keeps what it did; a retry goes on there', async () => {
    server.on('/held', (answer, { url }, earlier) => earlier > 0 && answerJson(answer, { url }));
    const steps = [codeStep('before', {}, RANDOM), call('/held'), codeStep('after')];

    const timedOut = await runs.ended(await runs.start(steps), ENDED_WITHIN_MS);

    expect(timedOut).toMatchObject({
      status: 'TIMEOUT',
      statusReason: `The run exceeded its time limit of ${LIMIT_SECONDS} s.`,
      steps: { before: { status: 'SUCCEEDED' }, call: { status: 'STOPPED' } },
    });
    expect(timedOut).not.toHaveProperty('failedStep');
    expect(timedOut).not.toHaveProperty('waitingOn');
    const took = Date.parse(timedOut.finishTime ?? '') - Date.parse(timedOut.startTime ?? '');
    expect(took).toBeGreaterThanOrEqual(LIMIT_SECONDS * 1_000);

    const strategy = { strategy: 'FROM_FAILED_STEP', projectId: runs.project };
    const retry = await runs.client.must<RunAnswer>('POST', `/flow-runs/${timedOut.id}/retry`, strategy);
    const retried = await runs.ended(retry.id);
    expect(retried).toMatchObject({ status: 'SUCCEEDED', stepsCount: 3 });
    expect(retried.steps?.['before']?.output).toEqual(timedOut.steps?.['before']?.output);
    expect(server.callsTo('/held')).toHaveLength(2);
  });

  it('is not charged for the time in which it waits, but for the time before and after', async () => {
    expect(await runs.ended(started.patient)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await runs.ended(started.busyBetween)).toMatchObject({
      status: 'TIMEOUT',
      steps: { before: { status: 'SUCCEEDED' }, nap: { status: 'SUCCEEDED' }, after: { status: 'STOPPED' } },
    });
  });

  describe('called by another run', () => {
    it('fails the step that waits for it', async () => {
      expect(await runs.ended(started.caller)).toMatchObject({
        status: 'FAILED',
        failedStep: { name: 'call', message: expect.stringMatching(/ ended as TIMEOUT: The run exceeded/) as string },
      });
    });

    it('fails the run that asked for it by a header', async () => {
      const failed = await runs.ended(started.parent);

      const child = await runs.read(started.child);
      expect(child).toMatchObject({ status: 'TIMEOUT', failParentOnFailure: true, parentRunId: failed.id });
      const statusReason = `The run ${child.id}, which this run had started, ended as TIMEOUT: ${child.statusReason}`;
      expect(failed).toMatchObject({ status: 'FAILED', statusReason });
    });
  });

  it('is stopped within two seconds when a run that it started fails it', async () => {
    const failing = codeStep('breaks', {}, 'export const code = async () => { throw new Error("no"); };');
    const flowId = await runs.publish(builtInTrigger('subflows', 'callable_flow', [failing]));
    let closed = (): void => undefined;
    const hungUp = new Promise<void>((resolve) => (closed = resolve));
    let closedAt = 0;
    server.on('/hangs', (answer, { headers }) => {
      answer.on('close', () => {
        closedAt = Date.now();
        closed();
      });
      void childOf(String(headers['idempotency-key']).split(':', 1)[0] ?? '', flowId);
    });

    const failed = await runs.ended(await runs.start([call('/hangs')]));
    await hungUp;

    expect(failed).toMatchObject({
      status: 'FAILED',
      statusReason: expect.stringContaining('ended as FAILED') as string,
    });
    expect(closedAt - Date.parse(failed.finishTime ?? '')).toBeLessThan(STOPS_WITHIN_MS);
  });
});
