import { HostUnderTest } from '../testing/a-piece-host';

describe('approval', () => {
  const subject = new HostUnderTest();

  it('waits for a decision', async () =>
    expect(await subject.wait('approval.wait_for_approval', {})).toEqual({
      kind: 'human',
      requestId: 'run_1:step_1#1',
      until: null,
      request: { kind: 'approval' },
      child: null,
    }));

  it.each([
    ['Is 40 too dear?', { kind: 'approval', message: 'Is 40 too dear?' }],
    [' ', { kind: 'approval' }],
    ['x'.repeat(2_001), { kind: 'approval', message: `${'x'.repeat(1_999)}…` }],
  ])('tells the person the message %.20j', async (message, request) => {
    expect(await subject.wait('approval.wait_for_approval', { message })).toMatchObject({ request });
    expect(await subject.run('approval.create_approval_links', { message })).toMatchObject({
      effects: { opens: [{ request }] },
    });
  });

  it.each([{ approved: true }, { approved: false, comment: 'Too dear.' }])('gives %j', async (answer) =>
    expect(await subject.resume('approval.wait_for_approval', {}, { kind: 'human', answer })).toMatchObject({
      kind: 'value',
      output: answer,
    }),
  );

  it('makes links, and opens the request behind them', async () => {
    const requestId = 'run_1:step_1/0#1';
    const url = `https://millrace.test/api/v1/flow-runs/run_1/requests/${requestId}`;

    expect(await subject.run('approval.create_approval_links', {})).toMatchObject({
      kind: 'value',
      output: { approvalLink: `${url}?action=approve`, disapprovalLink: `${url}?action=disapprove` },
      effects: { opens: [{ requestId, request: { kind: 'approval' } }] },
    });
  });

  it('waits for the request whose links went out before', async () => {
    const openRequestId = jest.fn(() => 'sent before');

    expect(await subject.wait('approval.wait_for_approval', {}, { openRequestId })).toMatchObject({
      requestId: 'sent before',
    });
    expect(openRequestId).toHaveBeenCalledWith('approval');
  });
});
