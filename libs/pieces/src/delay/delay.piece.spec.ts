import { HostUnderTest } from '../testing/a-piece-host';

describe('delay', () => {
  const subject = new HostUnderTest();

  it.each([
    ['seconds', 1.5, '2026-01-01T00:00:01.500Z'],
    ['minutes', '2', '2026-01-01T00:02:00.000Z'],
    ['hours', 36, '2026-01-02T12:00:00.000Z'],
    ['days', 30, '2026-01-31T00:00:00.000Z'],
  ])('waits for %s: %s', async (unit, delayFor, until) =>
    expect(await subject.run('delay.delay_for', { unit, delayFor })).toEqual({
      kind: 'waiting',
      wait: { kind: 'timer', requestId: 'run_1:step_1#1', until: new Date(until), request: null, child: null },
      logs: [],
    }),
  );

  it.each([
    ['2026-01-01T00:00:00.001Z', '2026-01-01T00:00:00.001Z'],
    ['2026-01-01T02:00:00+01:00', '2026-01-01T01:00:00.000Z'],
    [Date.UTC(2026, 0, 2), '2026-01-02T00:00:00.000Z'],
    ['2026-01-31T00:00:00.000Z', '2026-01-31T00:00:00.000Z'],
  ])('waits until %s', async (delayUntilTimestamp, until) =>
    expect(await subject.wait('delay.delay_until', { delayUntilTimestamp })).toMatchObject({ until: new Date(until) }),
  );

  it('waits until that very moment, though time passes meanwhile', async () => {
    let ms = Date.parse('2026-01-01T00:00:00.000Z');
    const host = new HostUnderTest();
    jest.spyOn(host.clock, 'now').mockImplementation(() => new Date(ms++));
    const until = '2026-01-01T00:00:05.000Z';

    expect(await host.wait('delay.delay_until', { delayUntilTimestamp: until })).toMatchObject({
      until: new Date(until),
    });
  });

  it.each([
    ['delay_for', { unit: 'seconds', delayFor: 0 }],
    ['delay_for', { unit: 'days', delayFor: -1 }],
    ['delay_until', { delayUntilTimestamp: '2026-01-01T00:00:00.000Z' }],
    ['delay_until', { delayUntilTimestamp: '2020-01-01' }],
  ])('ends %s with %j at once', async (action, input) =>
    expect(await subject.output(`delay.${action}`, input)).toEqual({ resumedAt: '2026-01-01T00:00:00.000Z' }),
  );

  it.each([
    ['delay_for', { unit: 'seconds', delayFor: 30 * 86_400 + 1 }],
    ['delay_for', { unit: 'days', delayFor: 1e300 }],
    ['delay_until', { delayUntilTimestamp: '2026-01-31T00:00:00.001Z' }],
  ])('fails %s with %j', async (action, input) =>
    expect(await subject.run(`delay.${action}`, input)).toMatchObject({
      kind: 'failed',
      message: 'A delay has at most 30 days.',
    }),
  );

  it.each(['delay_for', 'delay_until'])('tells after %s when the run was resumed', async (action) => {
    const input = { unit: 'days', delayFor: 1, delayUntilTimestamp: '2026-01-02' };
    const ending = { kind: 'timer', resumedAt: '2026-01-02T00:00:01.000Z' } as const;

    expect(await subject.resume(`delay.${action}`, input, ending)).toMatchObject({
      output: { resumedAt: '2026-01-02T00:00:01.000Z' },
    });
  });
});
