import { Durations } from './durations';

describe('Durations', () => {
  it('counts each duration under the smallest bound that holds it, and below every larger one', () => {
    const durations = new Durations([0.1, 1]);

    for (const seconds of [0.05, 0.1, 0.5, 1, 7]) durations.add(seconds);

    expect(durations.atMost()).toEqual([
      { bound: 0.1, count: 2 },
      { bound: 1, count: 4 },
      { bound: Infinity, count: 5 },
    ]);
    expect(durations.count).toBe(5);
    expect(durations.sum).toBeCloseTo(8.65);
  });

  it.each([-3, NaN])('counts %p, which two clocks can lead to, as no time', (seconds) => {
    const durations = new Durations([0.1]);

    durations.add(seconds);

    expect(durations.sum).toBe(0);
    expect(durations.atMost()[0]).toEqual({ bound: 0.1, count: 1 });
  });
});
