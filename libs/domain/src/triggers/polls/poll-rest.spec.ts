import { restOf } from './poll-rest';

const MINUTE = 60_000;
const minutes = (outcome: Partial<Parameters<typeof restOf>[0]>, random = 0.5) =>
  restOf({ everyMinutes: 5, failures: 0, ...outcome }, random) / MINUTE;

describe('restOf', () => {
  it.each([
    [0, 4.5],
    [0.5, 5],
    [1, 5.5],
  ])('is the interval, give or take a tenth: by chance %j it is %j minutes', (random, expected) =>
    expect(minutes({}, random)).toBeCloseTo(expected),
  );

  it.each([
    [1, 5],
    [2, 10],
    [3, 20],
    [7, 320],
    [8, 360],
    [5_000, 360],
  ])('grows with the failures in a row: after %j it is %j minutes', (failures, expected) =>
    expect(minutes({ failures })).toBeCloseTo(expected),
  );

  it('is never less than the interval', () => expect(minutes({ everyMinutes: 1_440, failures: 3 })).toBeCloseTo(1_440));

  it('is at least what the service asks for, up to six hours', () => {
    expect(minutes({ failures: 1, retryAfterMs: 30 * MINUTE }, 0)).toBeCloseTo(30);
    expect(minutes({ failures: 1, retryAfterMs: 1_000 * MINUTE }, 0)).toBeCloseTo(360);
    expect(minutes({ failures: 3, retryAfterMs: MINUTE })).toBeCloseTo(20);
  });

  it('is nothing while items wait for their runs', () => expect(minutes({ hasMore: true })).toBe(0));
});
