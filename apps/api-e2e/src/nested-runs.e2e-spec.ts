import { builtInStep, codeStep, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest, type Answer, type RunAnswer } from '@millrace/e2e-support';

const UNKNOWN = '019a0000-0000-7000-8000-000000000000';
const THROW = "export const code = async () => { throw new Error('broken'); };";

describe('runs of a flow by a call', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;
  let echo: string;
  let failing: string;
  let waiting: string;

  beforeAll(async () => {
    project = await client.createProject('Nested runs');
    const publish = async (name: string, ...steps: Parameters<typeof webhookTrigger>[0] & object) =>
      (await client.publishFlow(project, name, webhookTrigger(steps))).id;
    echo = await publish('Echo', codeStep('echo', { all: '{{trigger}}' }));
    failing = await publish('Failing', codeStep('breaks', {}, THROW));
    waiting = await publish('Waiting', builtInStep('ask', 'approval', 'wait_for_approval'));
  });

  const run = (flowId: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer<RunAnswer>> =>
    client.request('POST', `/flows/${flowId}/run`, body, headers);
  const childOf = (parentRunId: string, flowId: string, failParent?: string) =>
    run(
      flowId,
      {},
      {
        'svc-parent-run-id': parentRunId,
        ...(failParent === undefined ? {} : { 'svc-fail-parent-on-failure': failParent }),
      },
    );
  /** Starts a run that is paused until it is cancelled. */
  const aParent = async () => (await client.pausedRun((await run(waiting)).body.id)).id;
  const ended = (runId: string) => client.runOnce(runId, ({ finishTime }) => finishTime !== null);
  const cancel = (...flowRunIds: string[]) =>
    client.must<{ cancelled: number }>('POST', '/flow-runs/cancel', { projectId: project, flowRunIds });

  it('execute the published version in production, in the name of who calls', async () => {
    const made = await run(echo, { order: 1042 });
    expect(made).toMatchObject({
      status: 201,
      body: {
        flowId: echo,
        projectId: project,
        environment: 'PRODUCTION',
        parentRunId: null,
        failParentOnFailure: false,
      },
    });
    expect(made.body.triggeredBy).toMatch(/^api_key:/);
    const { status, steps } = await ended(made.body.id);
    expect(status).toBe('SUCCEEDED');
    expect(steps?.['trigger']).toMatchObject({ type: 'MANUAL', output: { order: 1042 } });
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['0', 0],
    ['false', false],
    ['"text"', 'text'],
    ['""', ''],
    ['[1,[2,{"a":null}]]', [1, [2, { a: null }]]],
    ['{"body":{"b":1,"a":2}}', { body: { b: 1, a: 2 } }],
    ['{"a":"x\\u0000y"}', { a: 'x\ufffdy' }],
  ])('give the trigger the body %s as it is', async (body, output) => {
    const { steps } = await ended((await run(echo, body)).body.id);
    expect(steps?.['trigger']?.output).toEqual(output);
  });

  it('give the trigger an empty object when there is no body', async () => {
    const { steps } = await ended((await run(echo)).body.id);
    expect(steps?.['trigger']?.output).toEqual({});
  });

  it('know the run that asked for them', async () => {
    const parent = await aParent();
    const made = await childOf(parent, echo, 'true');
    expect(made).toMatchObject({
      status: 201,
      body: { parentRunId: parent, failParentOnFailure: true, triggeredBy: 'subflow' },
    });
    expect((await ended(made.body.id)).steps?.['trigger']?.type).toBe('SUBFLOW');
    expect((await client.must<RunAnswer>('GET', `/flow-runs/${parent}`)).status).toBe('PAUSED');
    await cancel(parent);
  });

  it('fail the run that asked for them when told to, and say so', async () => {
    const parent = await aParent();
    const child = (await childOf(parent, failing, 'true')).body.id;
    const failed = await ended(parent);
    expect(failed.status).toBe('FAILED');
    expect(failed.statusReason).toContain(child);
    expect(failed).not.toHaveProperty('failedStep');
  });

  it('fail the run that asked for them when they are cancelled, too', async () => {
    const parent = await aParent();
    const child = (await client.pausedRun((await childOf(parent, waiting, 'true')).body.id)).id;
    expect(await cancel(child)).toEqual({ cancelled: 1 });
    expect((await ended(parent)).status).toBe('FAILED');
  });

  it.each([undefined, 'false'])('spare the run that asked for them with %s', async (failParent) => {
    const parent = await aParent();
    const child = (await childOf(parent, failing, failParent)).body.id;
    expect((await ended(child)).status).toBe('FAILED');
    expect(await cancel(parent)).toEqual({ cancelled: 1 });
  });

  it('have at most ten above them, and are cancelled with the first', async () => {
    const chain = [await aParent()];
    for (let depth = 1; depth <= 10; depth++) chain.push((await childOf(chain.at(-1) ?? '', waiting)).body.id);
    const tooDeep = await childOf(chain.at(-1) ?? '', waiting);
    expect(tooDeep).toMatchObject({ status: 400, body: { code: 'VALIDATION' } });

    expect(await cancel(chain[0] ?? '')).toEqual({ cancelled: 11 });
    const statuses = await Promise.all(chain.map(async (id) => (await ended(id)).status));
    expect(statuses).toEqual(Array.from({ length: 11 }, () => 'STOPPED'));
  });

  describe('are refused', () => {
    it.each<[string, () => Promise<Record<string, string>>, string]>([
      ['a parent that is no id', () => Promise.resolve({ 'svc-parent-run-id': 'nope' }), '/svc-parent-run-id'],
      ['an unknown parent', () => Promise.resolve({ 'svc-parent-run-id': UNKNOWN }), '/svc-parent-run-id'],
      [
        'a parent that has ended',
        async () => ({ 'svc-parent-run-id': (await ended((await run(echo)).body.id)).id }),
        '/svc-parent-run-id',
      ],
      ['a parent of another project', async () => ({ 'svc-parent-run-id': await foreignRun() }), '/svc-parent-run-id'],
      [
        'a flag that is none',
        () => Promise.resolve({ 'svc-fail-parent-on-failure': 'yes' }),
        '/svc-fail-parent-on-failure',
      ],
    ])('with %s', async (_, headers, path) => {
      expect(await run(echo, {}, await headers())).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION', params: { errors: [{ path }] } },
      });
    });

    const foreignRun = async () => {
      const other = await client.createProject('Elsewhere');
      const flow = await client.publishFlow(
        other,
        'Waiting',
        webhookTrigger([builtInStep('ask', 'approval', 'wait_for_approval')]),
      );
      return (await client.pausedRun((await run(flow.id)).body.id)).id;
    };

    it('when the flow is not enabled', async () => {
      const { id } = await client.publishFlow(project, 'Disabled', webhookTrigger([codeStep('echo')]));
      await client.must('POST', `/flows/${id}`, { type: 'CHANGE_STATUS', request: { status: 'DISABLED' } });
      const never = await client.createFlow(project, 'Never published');
      for (const flowId of [id, never.id])
        expect(await run(flowId)).toMatchObject({ status: 409, body: { code: 'FLOW_DISABLED', params: { flowId } } });
    });

    it.each([UNKNOWN, 'nope'])('of the unknown flow %s', async (flowId) => {
      expect(await run(flowId)).toMatchObject({ status: 404, body: { code: 'ENTITY_NOT_FOUND' } });
    });

    it('of a flow of another project', async () => {
      const other = await client.createProject('Strangers');
      const key = await client.must<{ value: string }>('POST', '/api-keys', { displayName: 'K', projectId: other });
      const stranger = client.withToken(key.value);
      expect(await stranger.request('POST', `/flows/${echo}/run`, {})).toMatchObject({
        status: 404,
        body: { code: 'ENTITY_NOT_FOUND', params: { entityType: 'flow', entityId: echo } },
      });
    });

    it('with bodies that are no JSON, too large or too deep', async () => {
      expect(await run(echo, '{"a":')).toMatchObject({ status: 400, body: { code: 'VALIDATION' } });
      expect(await run(echo, { text: 'a'.repeat(1024 * 1024) })).toMatchObject({ status: 413 });
      expect(await run(echo, '['.repeat(200) + ']'.repeat(200))).toMatchObject({ status: 400 });
      expect(await run(echo, 'a=b', { 'content-type': 'application/x-www-form-urlencoded' })).toMatchObject({
        status: 415,
      });
    });
  });
});
