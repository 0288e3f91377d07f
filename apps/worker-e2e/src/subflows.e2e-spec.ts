import type { FlowAction } from '@millrace/domain';
import { anId, branch, builtInStep, builtInTrigger, codeStep, loop, router } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest, type RunAnswer } from '@millrace/e2e-support';
import { WatchedRuns } from './testing/watched-runs';

const ALWAYS = [[{ operator: 'EXISTS' as const, firstValue: 'x' }]];
const MOST_RUNS_ABOVE = 10;

const callFlow = (name: string, input: Record<string, unknown>, continueOnFailure = false) =>
  builtInStep(name, 'subflows', 'call_flow', input, {
    errorHandlingOptions: { continueOnFailure: { value: continueOnFailure } },
  });
const callable = (...steps: FlowAction[]) => builtInTrigger('subflows', 'callable_flow', steps);
const returnResponse = (response: unknown) => builtInStep('answer', 'subflows', 'return_response', { response });
const waitForApproval = (name = 'ask') => builtInStep(name, 'approval', 'wait_for_approval');
const throwing = codeStep('breaks', {}, 'export const code = async () => { throw new Error("broken"); };');

describe('a flow that calls others', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let runs: WatchedRuns;
  /** The ids of flows that other flows call. */
  let doubler: string;
  let failing: string;
  let waiting: string;

  beforeAll(async () => {
    runs = await WatchedRuns.inNewProject(client, 'Subflows');
    doubler = await runs.publish(callable(returnResponse({ doubled: '{{trigger.n * 2}}' }), codeStep('after')));
    failing = await runs.publish(callable(throwing));
    waiting = await runs.publish(callable(waitForApproval()));
  });

  const run = async (steps: FlowAction[], body: unknown = {}) => runs.ended(await runs.start(steps, body));
  const outputOf = ({ steps }: RunAnswer, name: string) => steps?.[name]?.output;
  const childrenOf = async ({ id }: { id: string }, flowId: string) =>
    (await runs.listed(`&flowId=${flowId}`)).filter(({ parentRunId }) => parentRunId === id);
  /** Waits for the only child of this run. */
  const childOf = async (parent: { id: string }, flowId: string): Promise<RunAnswer> => {
    let child: RunAnswer | undefined;
    for (const deadline = Date.now() + 10_000; !child && Date.now() < deadline;)
      [child] = await childrenOf(parent, flowId);
    return child as RunAnswer;
  };

  describe('and waits for the response', () => {
    it('gives the payload to the trigger of the child, and has its response for an output', async () => {
      const input = { flowId: doubler, payload: { n: '{{trigger.body.n}}' }, waitForResponse: true };
      const parent = await run([callFlow('call', input), codeStep('last', { d: '{{call.doubled}}' })], { n: 21 });

      expect(parent).toMatchObject({ status: 'SUCCEEDED', stepsCount: 2 });
      expect([outputOf(parent, 'call'), outputOf(parent, 'last')]).toEqual([{ doubled: 42 }, { d: 42 }]);
      const [child, ...others] = await childrenOf(parent, doubler);
      expect(others).toEqual([]);
      expect(await runs.read(child?.id ?? '')).toMatchObject({
        status: 'SUCCEEDED',
        environment: 'PRODUCTION',
        triggeredBy: 'subflow',
        failParentOnFailure: false,
        steps: { trigger: { type: 'SUBFLOW', output: { n: 21 } }, answer: {} },
      });
      expect((await runs.read(child?.id ?? '')).steps).not.toHaveProperty('after'); // the response ends the child
    });

    it('finds it by its external id', async () => {
      const externalId = `doubler-${anId()}`;
      const body = { projectId: runs.project, displayName: 'Named', externalId };
      const { id } = await client.must<{ id: string }>('POST', '/flows', body);
      await client.importFlow(id, 'Named', callable(returnResponse('found')));
      await client.must('POST', `/flows/${id}`, { type: 'LOCK_AND_PUBLISH', request: {} });

      const parent = await run([callFlow('call', { externalId, waitForResponse: true })]);

      expect(outputOf(parent, 'call')).toBe('found');
      expect(await childrenOf(parent, id)).toHaveLength(1);
    });

    it.each<[string, FlowAction[], unknown]>([
      ['a list', [returnResponse([1, { two: null }])], [1, { two: null }]],
      ['nothing, when the child gives none', [codeStep('quiet')], null],
      ['the body of a webhook response', [builtInStep('r', 'webhook', 'return_response', { fields: { body: 7 } })], 7],
    ])('has %s for an output', async (_, steps, output) => {
      const flowId = await runs.publish(callable(...steps));
      expect(outputOf(await run([callFlow('call', { flowId, waitForResponse: true })]), 'call')).toEqual(output);
    });

    it('fails with a sentence when the child fails', async () => {
      const parent = await run([callFlow('call', { flowId: failing, waitForResponse: true }), codeStep('after')]);
      const [child] = await childrenOf(parent, failing);
      const why = (await runs.read(child?.id ?? '')).failedStep?.message;
      expect(why).toMatch(/^Error: /);
      const message = `The run ${child?.id} of the called flow ended as FAILED: ${why}`;
      expect(parent).toMatchObject({ status: 'FAILED', failedStep: { name: 'call', message } });
      expect(parent.steps?.['call']).toMatchObject({ status: 'FAILED', errorMessage: message });
      expect(parent.steps).not.toHaveProperty('after');
    });

    it('goes on when the child fails and the step is told to continue', async () => {
      const parent = await run([callFlow('call', { flowId: failing, waitForResponse: true }, true), codeStep('after')]);
      expect(parent).toMatchObject({
        status: 'SUCCEEDED',
        stepsCount: 2,
        steps: { call: { status: 'FAILED' }, after: {} },
      });
    });

    it('fails with a sentence when the child is cancelled', async () => {
      const id = await runs.start([callFlow('call', { flowId: waiting, waitForResponse: true })]);
      const child = await childOf({ id }, waiting);
      expect(await runs.cancel(child.id)).toBe(1);
      const message = `The run ${child.id} of the called flow ended as STOPPED: The run was cancelled.`;
      expect(await runs.ended(id)).toMatchObject({ status: 'FAILED', failedStep: { name: 'call', message } });
    });

    it('calls one child after the other in a loop, and all at once from the branches of a router', async () => {
      const inLoop = callFlow('call', {
        flowId: doubler,
        payload: { n: '{{each.item}}' },
        waitForResponse: true,
      });
      const looped = await run([loop('each', [1, 2, 3], [inLoop])]);
      const { iterations } = outputOf(looped, 'each') as { iterations: Record<string, { output: unknown }>[] };
      expect(iterations.map(({ call }) => call?.output)).toEqual([{ doubled: 2 }, { doubled: 4 }, { doubled: 6 }]);
      expect(await childrenOf(looped, doubler)).toHaveLength(3);

      const branches = ['one', 'two'].map((name) =>
        branch(name, ALWAYS, [callFlow(name, { flowId: waiting, waitForResponse: true })]),
      );
      const id = await runs.start([router('both', branches, { executionType: 'EXECUTE_ALL_MATCH' })]);
      await runs.paused(id);
      const children = await childrenOf({ id }, waiting);
      expect(children).toHaveLength(2);
      for (const child of children) await runs.answer(await runs.paused(child.id), { approved: true });
      expect(await runs.ended(id)).toMatchObject({ status: 'SUCCEEDED', stepsCount: 3 });
    });
  });

  describe('and does not wait', () => {
    it('has the id of the child for an output, and goes on without it', async () => {
      const parent = await run([callFlow('call', { flowId: waiting }), codeStep('after')]);
      const [child] = await childrenOf(parent, waiting);
      expect(parent).toMatchObject({ status: 'SUCCEEDED', steps: { after: { status: 'SUCCEEDED' } } });
      expect(outputOf(parent, 'call')).toEqual({ runId: child?.id });
      expect((await runs.paused(child?.id ?? '')).failParentOnFailure).toBe(false);
    });

    it('fails with the child when that was asked for, however far up', async () => {
      const middle = await runs.publish(
        callable(callFlow('call', { flowId: failing, failParentOnFailure: true }), waitForApproval()),
      );
      const id = await runs.start([callFlow('call', { flowId: middle, failParentOnFailure: true }), waitForApproval()]);

      const parent = await runs.ended(id);

      const [child] = await childrenOf(parent, middle);
      const [grandchild] = await childrenOf(child as RunAnswer, failing);
      expect(parent).toMatchObject({
        status: 'FAILED',
        statusReason: `The run ${child?.id}, which this run had started, ended as FAILED: ${(await runs.read(child?.id ?? '')).statusReason}`,
      });
      expect(await runs.read(child?.id ?? '')).toMatchObject({
        status: 'FAILED',
        statusReason: expect.stringMatching(`^The run ${grandchild?.id}, .* ended as FAILED: Error: `) as string,
      });
    });

    it('fails once, with the first of several children that fail', async () => {
      const nap = builtInStep('nap', 'delay', 'delay_for', { unit: 'seconds', delayFor: 1 });
      const soon = await runs.publish(callable(nap, throwing));
      const whenAllowed = await runs.publish(callable(waitForApproval(), throwing));
      const id = await runs.start([
        callFlow('later', { flowId: whenAllowed, failParentOnFailure: true }),
        callFlow('soon', { flowId: soon, failParentOnFailure: true }),
        waitForApproval(),
      ]);

      const failed = await runs.ended(id);
      expect(failed.statusReason).toContain((await childOf(failed, soon)).id);
      const later = await runs.paused((await childOf(failed, whenAllowed)).id);
      await runs.answer(later, { approved: true });
      expect((await runs.ended(later.id)).status).toBe('FAILED');
      expect(await runs.read(id)).toEqual(failed);
    });
  });

  it('is cancelled with all the runs below it', async () => {
    const middle = await runs.publish(callable(callFlow('call', { flowId: waiting, waitForResponse: true })));
    const id = await runs.start([callFlow('call', { flowId: middle, waitForResponse: true })]);
    const child = await childOf({ id }, middle);
    const grandchild = await childOf(child, waiting);
    await runs.paused(grandchild.id);

    expect(await runs.cancel(id)).toBe(3);

    const all = await Promise.all([id, child.id, grandchild.id].map((each) => runs.ended(each)));
    expect(all.map(({ status }) => status)).toEqual(['STOPPED', 'STOPPED', 'STOPPED']);
  });

  it(`may go down ${MOST_RUNS_ABOVE} runs deep, and says so when it goes deeper`, async () => {
    const { id: flowId } = await client.createFlow(runs.project, 'Endless');
    await client.importFlow(flowId, 'Endless', callable(callFlow('call', { flowId, waitForResponse: true })));
    await client.must('POST', `/flows/${flowId}`, { type: 'LOCK_AND_PUBLISH', request: {} });

    const { id } = await client.must<{ id: string }>('POST', `/flows/${flowId}/run`, {});

    expect((await runs.ended(id)).status).toBe('FAILED');
    const all = await runs.listed(`&flowId=${flowId}`);
    expect(all).toHaveLength(1 + MOST_RUNS_ABOVE);
    const deepest = all.find(({ id: each }) => !all.some(({ parentRunId }) => parentRunId === each));
    expect(deepest?.failedStep).toMatchObject({
      name: 'call',
      message: `A run has at most ${MOST_RUNS_ABOVE} runs above it, and this one would have more.`,
    });
  });

  it.each<[string, () => Promise<string>, (flowId: string) => string]>([
    ['unknown', async () => anId(), (id) => `There is no flow with the id "${id}".`],
    [
      'not enabled',
      async () => (await client.createFlow(runs.project, 'Never published')).id,
      (id) => `The flow ${id} is not enabled.`,
    ],
    [
      'of another project',
      async () => (await WatchedRuns.inNewProject(client, 'Elsewhere')).publish(callable()),
      (id) => `There is no flow with the id "${id}".`,
    ],
  ])('fails at the step that calls a flow that is %s', async (_, called, message) => {
    const flowId = await called();
    for (const waitForResponse of [true, false])
      expect(await run([callFlow('call', { flowId, waitForResponse })])).toMatchObject({
        status: 'FAILED',
        failedStep: { name: 'call', message: message(flowId) },
      });
  });
});
