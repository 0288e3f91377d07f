import { ArrivalRate, batchingDelayMs } from './batching-delay';

describe('batchingDelayMs', () => {
  it.each([
    ['is 0 at a rate that makes another row unlikely', 250, 1, 0],
    ['is the longest delay when another row is likely', 300, 1, 2],
    ['is the longest delay for a group that has some rows already', 1_000, 7, 2],
    ['is 0 for a group that is large enough', 1_000, 8, 0],
    ['is 0 when idle', 0, 1, 0],
  ])('%s', (_, rowsPerSecond, rows, waitMs) => {
    expect(batchingDelayMs(rowsPerSecond, rows, 2)).toBe(waitMs);
  });
});

describe('ArrivalRate', () => {
  it('is the rate of the window before', () => {
    const arrivals = new ArrivalRate();
    for (let at = 1_000; at <= 1_200; at += 2) arrivals.add(at);

    expect(Math.round(arrivals.perSecond(1_200))).toBe(500);
  });

  it('forgets a busy time after a quiet one', () => {
    const arrivals = new ArrivalRate();
    for (let at = 1_000; at <= 1_200; at += 2) arrivals.add(at);

    expect(arrivals.perSecond(10_000)).toBeLessThan(1);
  });

  it('is 0 until the first window has ended', () => {
    const arrivals = new ArrivalRate();
    arrivals.add(1_000);

    expect(arrivals.perSecond(1_001)).toBe(0);
  });
});
