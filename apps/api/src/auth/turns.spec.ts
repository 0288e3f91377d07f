import { ServiceUnavailableError } from '@millrace/domain';
import { Turns } from './turns';

describe('Turns', () => {
  /** Work that ends when the test says so. */
  function somePieces(turns: Turns, count: number) {
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const done = Array.from({ length: count }, (_, index) =>
      turns.take(() => {
        begun.push(index);
        return new Promise<void>((resolve) => ends.push(resolve));
      }),
    );
    return { begun, done, end: (index: number) => ends[index]?.() };
  }

  it('lets some begin, and the next in order when one ends', async () => {
    const { begun, done, end } = somePieces(new Turns(2, 10), 4);
    await Promise.resolve();
    expect(begun).toEqual([0, 1]);
    end(1);
    await done[1];
    await Promise.resolve();
    expect(begun).toEqual([0, 1, 2]);
    for (const index of [0, 2]) end(index);
    await Promise.all([done[0], done[2]]);
    end(3);
    await done[3];
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  it('refuses when too many wait', async () => {
    const { done, end } = somePieces(new Turns(1, 1), 2);
    const third = new Turns(1, 0);
    const held = somePieces(third, 1);
    await expect(third.take(() => Promise.resolve())).rejects.toBeInstanceOf(ServiceUnavailableError);
    for (const one of [{ done, end }, held]) {
      one.end(0);
      await one.done[0];
    }
    end(1);
    await done[1];
  });

  it('goes on after work that fails', async () => {
    const turns = new Turns(1, 1);
    await expect(turns.take(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await turns.take(() => Promise.resolve('good'))).toBe('good');
  });
});
