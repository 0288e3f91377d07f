import { ServiceUnavailableError } from '@millrace/domain';
import { untilNone } from './halving-batches';

const tooSlow = new ServiceUnavailableError('away', 5, {
  cause: Object.assign(new Error('canceled'), { code: '57014' }),
});

describe('untilNone', () => {
  it('halves a batch that meets the time limit, and goes on with batches of that size', async () => {
    let left = 100;
    const sizes: number[] = [];

    const sum = await untilNone(40, async (limit) => {
      sizes.push(limit);
      if (limit > 10) throw tooSlow;
      const done = Math.min(limit, left);
      left -= done;
      return done;
    });

    expect(sum).toBe(100);
    expect(sizes).toEqual([40, 20, ...Array.from({ length: 11 }, () => 10)]);
  });

  it('fails when not even one can be done in time, or when something else is wrong', async () => {
    await expect(untilNone(8, () => Promise.reject(tooSlow))).rejects.toBe(tooSlow);
    const other = new Error('other');
    const batch = jest.fn(() => Promise.reject(other));
    await expect(untilNone(8, batch)).rejects.toBe(other);
    expect(batch).toHaveBeenCalledTimes(1);
  });
});
