import { ServiceUnavailableError } from '@millrace/domain';
import { Turns } from './turns';

/** Work that ends when `end` is called, in the order of its beginning. */
function someWork(turns: Turns) {
  const began: number[] = [];
  const ends: (() => void)[] = [];
  const take = (n: number) =>
    turns.take(async () => {
      began.push(n);
      await new Promise<void>((resolve) => ends.push(resolve));
      return n;
    });
  return { began, ends, take };
}
const settled = () => new Promise(setImmediate);

describe('Turns', () => {
  it('lets so much work be under way at once, and the rest in its order', async () => {
    const { began, ends, take } = someWork(new Turns(2));
    const all = Promise.all([1, 2, 3, 4].map(take));
    await settled();
    expect(began).toEqual([1, 2]);

    for (let n = 0; n < 4; n++) {
      ends[n]?.();
      await settled();
    }
    expect(await all).toEqual([1, 2, 3, 4]);
    expect(began).toEqual([1, 2, 3, 4]);
  });

  it('goes on after work that fails', async () => {
    const turns = new Turns(1);
    const failing = turns.take(() => Promise.reject(new Error('no')));
    const next = turns.take(() => Promise.resolve('done'));

    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('done');
    expect(await turns.take(() => Promise.resolve('later'))).toBe('later');
  });

  it('refuses work when too much waits', async () => {
    const { began, ends, take } = someWork(new Turns(1, 1));
    const all = [take(1), take(2)];

    await expect(take(3)).rejects.toThrow(ServiceUnavailableError);
    ends[0]?.();
    await settled();
    ends[1]?.();
    await Promise.all(all);
    expect(began).toEqual([1, 2]);
  });
});
