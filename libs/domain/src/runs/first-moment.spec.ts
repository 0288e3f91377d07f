import { firstMoment, LONGEST_UNCLAIMED_MS } from './run-journal';

describe('the moment from which the time of a run counts', () => {
  const now = new Date('2026-11-26T12:00:00Z');
  const before = (ms: number) => new Date(now.getTime() - ms);

  it.each([
    ['is the start that the worker tells', 700, 700],
    ['is not later than now, when the clock of the worker is ahead', -3_600_000, 0],
    ['is not much earlier than now, when that clock is behind', 3_600_000, LONGEST_UNCLAIMED_MS],
  ])('%s', (_, toldMs, isMs) => {
    expect(firstMoment(before(toldMs), now)).toEqual(before(isMs));
  });
});
