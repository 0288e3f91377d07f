import { ArrivalRate, batchingDelayMs, BusyLoop } from './batching-delay';

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

describe('BusyLoop', () => {
  /** Whether the loop counts as busy after windows of 200 ms in which it had work for so long. */
  function after(...workMs: number[]): boolean {
    let active = 0;
    const loop = new BusyLoop(() => active);
    let isBusy = loop.isBusy(1_000);
    for (const [window, ms] of workMs.entries()) {
      active += ms;
      isBusy = loop.isBusy(1_200 + window * 200);
    }
    return isBusy;
  }

  it.each([
    ['is not busy before it was measured', [], false],
    ['is busy after a window with work for most of it', [140], true],
    ['is not busy after a window with less work', [139], false],
    ['is not busy any more after a quiet window', [200, 10], false],
  ])('%s', (_, workMs, expected) => expect(after(...workMs)).toBe(expected));

  it('is measured once in a window', () => {
    const activeMs = jest.fn(() => 0);
    const loop = new BusyLoop(activeMs);
    for (let at = 1_000; at < 1_200; at++) loop.isBusy(at);

    expect(activeMs).toHaveBeenCalledTimes(1);
  });
});
