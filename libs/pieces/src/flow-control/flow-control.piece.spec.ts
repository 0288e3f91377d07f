import { HostUnderTest } from '../testing/a-piece-host';

describe('flow_control', () => {
  const subject = new HostUnderTest();

  it.each([
    [{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }],
    [{ status: 'SUCCEEDED', message: '' }, { status: 'SUCCEEDED' }],
    [
      { status: 'FAILED', message: 'Out of stock.' },
      { status: 'FAILED', message: 'Out of stock.' },
    ],
  ])('ends the run as %j says', async (input, stop) =>
    expect(await subject.run('flow_control.stop', input)).toEqual({
      kind: 'value',
      output: stop,
      outputText: JSON.stringify(stop),
      logs: [],
      effects: { stop },
    }),
  );

  it('does not end the run in a way that does not exist', async () =>
    expect(await subject.run('flow_control.stop', { status: 'PAUSED' })).toEqual({
      kind: 'failed',
      message: 'The input "Status" (status) must be one of SUCCEEDED, FAILED.',
      logs: [],
    }));

  it('adds a tag to the run', async () =>
    expect(await subject.run('flow_control.add_tag', { name: 'urgent' })).toMatchObject({
      output: { name: 'urgent' },
      effects: { tags: ['urgent'] },
    }));

  it('needs the name of the tag', async () =>
    expect(await subject.run('flow_control.add_tag', { name: '' })).toMatchObject({
      kind: 'failed',
      message: 'The input "Name" (name) is required.',
    }));
});
