import type { FlowAction } from '@millrace/domain';
import { builtInStep, builtInTrigger, codeStep } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest, type RunAnswer } from '@millrace/e2e-support';
import { WatchedRuns } from './testing/watched-runs';

const onEvent = (name: string, steps: FlowAction[], filter?: unknown) =>
  builtInTrigger('events', 'on_event', steps, { name, ...(filter !== undefined && { filter }) });

describe('named events', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let runs: WatchedRuns;

  beforeAll(async () => {
    runs = await WatchedRuns.inNewProject(client, 'Events');
  });

  const publish = (body: object) =>
    client.request<{ id: string; runs: number }>('POST', '/events', { projectId: runs.project, ...body });
  const runOf = async (flowId: string) => {
    const [run] = await runs.listed(`&flowId=${flowId}`);
    return runs.ended(run?.id ?? '');
  };

  it('start the flows that listen to them, once for an id', async () => {
    const flowId = await runs.publish(onEvent('order.paid', [codeStep('total', { total: '{{trigger.data.total}}' })]));

    const first = await publish({ name: 'order.paid', id: 'o-1', data: { total: 5 } });
    const again = await publish({ name: 'order.paid', id: 'o-1', data: { total: 6 } });

    expect(first).toMatchObject({ status: 200, body: { id: 'o-1', runs: 1 } });
    expect(again).toMatchObject({ status: 200, body: { id: 'o-1', runs: 0 } });
    expect(await runOf(flowId)).toMatchObject({
      status: 'SUCCEEDED',
      steps: {
        trigger: { type: 'APP_WEBHOOK', output: { id: 'o-1', name: 'order.paid', data: { total: 5 } } },
        total: { output: { total: 5 } },
      },
    });
  });

  it('are heard by enabled flows only, and with the latest published filter', async () => {
    const over = (least: number) => [
      [{ firstValue: '{{trigger.data.total}}', operator: 'NUMBER_IS_GREATER_THAN', secondValue: least }],
    ];
    const flowId = await runs.publish(onEvent('filtered', [], over(10)));
    const runsFor = async (total: number) => (await publish({ name: 'filtered', data: { total } })).body.runs;

    expect([await runsFor(5), await runsFor(15)]).toEqual([0, 1]);
    await client.importFlow(flowId, 'Filtered', onEvent('filtered', [], over(20)));
    await client.must('POST', `/flows/${flowId}`, { type: 'LOCK_AND_PUBLISH', request: {} });
    expect([await runsFor(15), await runsFor(25)]).toEqual([0, 1]);
    await client.must('POST', `/flows/${flowId}`, { type: 'CHANGE_STATUS', request: { status: 'DISABLED' } });
    expect(await runsFor(25)).toBe(0);
  });

  it('are emitted by steps', async () => {
    const listener = await runs.publish(onEvent('shipped', [codeStep('got', { order: '{{trigger.data.order}}' })]));
    const emit = builtInStep('emit', 'events', 'emit', { name: 'shipped', data: { order: '{{trigger.body.order}}' } });

    const emitter = await runs.ended(await runs.start([emit], { order: 7 }));

    expect(emitter).toMatchObject({
      status: 'SUCCEEDED',
      steps: { emit: { output: { id: `${emitter.id}:emit`, runs: 1 } } },
    });
    expect(await runOf(listener)).toMatchObject({ triggeredBy: 'subflow', steps: { got: { output: { order: 7 } } } });
  });

  it('that a flow emits to itself come to an end', async () => {
    const emit = builtInStep('emit', 'events', 'emit', { name: 'circle' });
    const flowId = await runs.publish(onEvent('circle', [emit]));

    expect(await publish({ name: 'circle', data: null })).toMatchObject({ body: { runs: 1 } });

    let failed: RunAnswer[] = [];
    for (const deadline = Date.now() + 20_000; failed.length === 0 && Date.now() < deadline;)
      failed = await runs.listed(`&flowId=${flowId}&status=FAILED`);
    expect(failed).toMatchObject([{ failedStep: { message: expect.stringContaining('at most 10 runs') as string } }]);
    expect(await runs.listed(`&flowId=${flowId}`)).toHaveLength(11);
  });

  it.each([
    [{ data: 1 }, '/name'],
    [{ name: '', data: 1 }, '/name'],
    [{ name: 'x'.repeat(201), data: 1 }, '/name'],
    [{ name: 'x', data: 1, id: '' }, '/id'],
    [{ name: 'x', data: 1, more: 1 }, '/more'],
  ])('are refused as %j', async (body, path) =>
    expect(await publish(body)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION', params: { errors: [{ path }] } },
    }),
  );

  it('of a foreign project are refused', async () => {
    const other = await client.createProject('Other');
    const { value } = await client.must<{ value: string }>('POST', '/api-keys', { displayName: 'K', projectId: other });
    const stranger = new ServiceClient(service.baseUrl, value);

    const answer = await stranger.request('POST', '/events', { name: 'x', data: 1, projectId: runs.project });
    expect(answer).toMatchObject({ status: 403, body: { code: 'AUTHORIZATION' } });
  });
});
