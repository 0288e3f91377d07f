import { MessageRate } from './message-rate';

describe('MessageRate', () => {
  it('lets a few messages go at once, and more as time passes', () => {
    const rate = new MessageRate({ burst: 3, perSecond: 7 });

    const taken = Array.from({ length: 5 }, () => rate.take(1_000));

    expect(taken).toEqual([true, true, true, false, false]);
    expect(rate.waitMs(1_000)).toBe(143);
    expect(rate.take(1_143)).toBe(true);
  });

  it('lets no more than the burst and the rate go in any second', () => {
    const rate = new MessageRate({ burst: 3, perSecond: 7 });
    const sent: number[] = [];

    for (let now = 5_000; now < 15_000; now++) if (rate.take(now)) sent.push(now);

    const most = Math.max(...sent.map((from) => sent.filter((at) => at >= from && at < from + 1_000).length));
    expect(most).toBeLessThanOrEqual(10);
    expect(sent.length).toBeGreaterThanOrEqual(70);
  });
});
