import type { WaitEnding } from '@millrace/domain';
import { HostUnderTest } from '../testing/a-piece-host';

const ended = (more: Partial<Extract<WaitEnding, { kind: 'child' }>> = {}): WaitEnding => ({
  kind: 'child',
  runId: 'child_1',
  status: 'SUCCEEDED',
  response: null,
  ...more,
});

describe('subflows.call_flow', () => {
  it('waits for the run of the flow that it calls', async () => {
    const subject = new HostUnderTest();
    const input = { flowId: 'orders', payload: { a: 1 }, waitForResponse: true, failParentOnFailure: true };

    expect(await subject.wait('subflows.call_flow', input, { depth: 3 })).toEqual({
      kind: 'child',
      requestId: 'run_1:step_1#1',
      until: null,
      request: null,
      child: subject.children.prepared[0],
    });
    expect(subject.children.prepared).toMatchObject([
      { flowId: 'orders', payload: '{"a":1}', parent: { runId: 'run_1', depth: 4, failOnFailure: false } },
    ]);
    expect(subject.children.started).toEqual([]);
  });

  it('starts a run once under the key of the step when it does not wait', async () => {
    const subject = new HostUnderTest();
    const input = { externalId: 'orders', payload: [1], failParentOnFailure: 'true' };

    expect(await subject.output('subflows.call_flow', input, { depth: 3 })).toEqual({ runId: 'started_1' });
    expect(subject.children.started).toEqual([
      {
        start: { flow: 'orders', payload: '[1]', failParentOnFailure: true, stepKey: 'run_1:step_1' },
        caller: { runId: 'run_1', projectId: 'project_1', depth: 3 },
      },
    ]);
    expect(subject.children.prepared).toEqual([]);
  });

  it.each([
    [{ flow: { externalId: 'orders', exampleData: {} }, flowProps: { payload: { a: 1 } }, mode: 'simple' }, '{"a":1}'],
    [{ flow: { id: 'orders' }, flowProps: { payload: 'text' } }, '"text"'],
    [{ flowId: 'orders', flowProps: {} }, '{}'],
    [{ flowId: 'orders', payload: null }, '{}'],
    [{ flowId: 'orders', payload: 0 }, '0'],
  ])('reads %j', async (input, payload) => {
    const subject = new HostUnderTest();

    await subject.output('subflows.call_flow', input);

    expect(subject.children.started).toMatchObject([{ start: { flow: 'orders', payload } }]);
  });

  const subject = new HostUnderTest();
  const input = { flowId: 'orders', waitForResponse: true };

  it.each([
    [{ status: 200, headers: {}, body: { total: 5 } }, { total: 5 }],
    [{ status: 200, headers: {}, body: null }, null],
    [null, null],
  ])('gives the body of the response %j', async (response, output) =>
    expect(await subject.resume('subflows.call_flow', input, ended({ response }))).toMatchObject({
      kind: 'value',
      output,
    }),
  );

  it.each(['FAILED', 'STOPPED', 'TIMEOUT', 'QUOTA_EXCEEDED', 'INTERNAL_ERROR'] as const)(
    'fails when the called run ended as %s, whatever it responded',
    async (status) => {
      const response = { status: 200, headers: {}, body: 1 };

      expect(await subject.resume('subflows.call_flow', input, ended({ status, response }))).toMatchObject({
        kind: 'failed',
        message: `The run child_1 of the called flow ended as ${status}.`,
      });
      const message = 'Error: no luck';
      expect(await subject.resume('subflows.call_flow', input, ended({ status, message }))).toMatchObject({
        message: `The run child_1 of the called flow ended as ${status}: Error: no luck`,
      });
    },
  );

  it('needs a flow', async () =>
    expect(await subject.run('subflows.call_flow', { flowId: '', payload: {} })).toMatchObject({
      kind: 'failed',
      message: 'The input "Flow" (flowId) is required.',
    }));

  it('does not call a flow from eleven runs down', async () =>
    expect(await subject.run('subflows.call_flow', input, { depth: 10 })).toMatchObject({
      kind: 'failed',
      message: 'A run has at most 10 runs above it, and this one would have more.',
    }));
});

describe('subflows.return_response', () => {
  const subject = new HostUnderTest();
  const JSON_TYPE = { 'content-type': 'application/json' };
  const TEXT_TYPE = { 'content-type': 'text/plain; charset=utf-8' };

  it.each([
    [{ response: { a: 1 } }, { status: 200, headers: JSON_TYPE, body: { a: 1 } }],
    [{ response: { response: 1 } }, { status: 200, headers: JSON_TYPE, body: { response: 1 } }],
    [{ response: 'text' }, { status: 200, headers: TEXT_TYPE, body: 'text' }],
    [{ response: false }, { status: 200, headers: JSON_TYPE, body: false }],
    [{}, { status: 200, headers: JSON_TYPE, body: null }],
    [
      { mode: 'simple', response: { response: { a: 1 } } },
      { status: 200, headers: JSON_TYPE, body: { a: 1 } },
    ],
    [
      { mode: 'advanced', response: { response: [1] } },
      { status: 200, headers: JSON_TYPE, body: [1] },
    ],
  ])('answers with %j and ends the run', async (input, response) =>
    expect(await subject.run('subflows.return_response', input)).toEqual({
      kind: 'value',
      output: response,
      outputText: JSON.stringify(response),
      logs: [],
      effects: { response, stop: { status: 'SUCCEEDED' } },
    }),
  );
});
