import { paceOf } from './pace';

describe('paceOf', () => {
  it.each([
    ['20', '3', { ratePerSecond: 20, stopAfterFailures: 3 }],
    [' 1 ', ' ', { ratePerSecond: 1 }],
    ['100', '1000', { ratePerSecond: 100, stopAfterFailures: 1_000 }],
    ['', '3', null],
    ['0', '3', null],
    ['101', '3', null],
    ['1.5', '3', null],
    ['20', '0', null],
    ['20', 'x', null],
  ])('%j a second until %j failures is %j', (perSecond, failures, pace) =>
    expect(paceOf(perSecond, failures)).toEqual(pace),
  );
});
