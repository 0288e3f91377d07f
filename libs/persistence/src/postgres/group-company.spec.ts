import { ArrivalRate, waitForCompanyMs } from './group-company';

describe('waitForCompanyMs', () => {
  it.each([
    ['nothing at a rate at which nobody would come', 250, 1, 0],
    ['as long as it may where somebody is expected', 300, 1, 2],
    ['also when somebody is there already', 1_000, 7, 2],
    ['nothing with a group that is large enough', 1_000, 8, 0],
    ['nothing when idle', 0, 1, 0],
  ])('waits %s', (_, rowsPerSecond, rows, waitMs) => {
    expect(waitForCompanyMs(rowsPerSecond, rows, 2)).toBe(waitMs);
  });
});

describe('ArrivalRate', () => {
  it('counts what came in the window before', () => {
    const arrivals = new ArrivalRate();
    for (let at = 1_000; at <= 1_200; at += 2) arrivals.add(at);

    expect(Math.round(arrivals.perSecond(1_200))).toBe(500);
  });

  it('forgets a busy time after a quiet one', () => {
    const arrivals = new ArrivalRate();
    for (let at = 1_000; at <= 1_200; at += 2) arrivals.add(at);

    expect(arrivals.perSecond(10_000)).toBeLessThan(1);
  });

  it('says nothing of what has come first', () => {
    const arrivals = new ArrivalRate();
    arrivals.add(1_000);

    expect(arrivals.perSecond(1_001)).toBe(0);
  });
});
