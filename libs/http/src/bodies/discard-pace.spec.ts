import { DiscardPace } from './discard-pace';

describe('DiscardPace', () => {
  it('lets a little pass at once', () => {
    const pace = new DiscardPace(1_000_000);
    expect([pace.waitMs(2_000, 0), pace.waitMs(2_000, 0), pace.waitMs(2_000, 10)]).toEqual([0, 0, 0]);
  });

  it('gives each its turn after those before it, however many they are', () => {
    const pace = new DiscardPace(1_000_000);
    const waits = [1, 2, 3, 4].map(() => pace.waitMs(10_000, 0));
    expect(waits).toEqual([10, 20, 30, 40]);
    expect(pace.waitMs(10_000, 35)).toBe(15);
  });

  it('owes nothing after a silence', () => {
    const pace = new DiscardPace(1_000_000);
    pace.waitMs(10_000, 0);
    expect(pace.waitMs(10_000, 60_000)).toBe(10);
  });
});
