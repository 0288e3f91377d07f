import { ServiceUnavailableError } from '@millrace/domain';
import { Turns, TurnsByName } from './turns';

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
    const { begun, done, end } = somePieces(new Turns({ atOnce: 2, mostWaiting: 10 }), 4);
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
    const { done, end } = somePieces(new Turns({ atOnce: 1, mostWaiting: 1 }), 2);
    const third = new Turns({ atOnce: 1, mostWaiting: 0 });
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
    const turns = new Turns({ atOnce: 1, mostWaiting: 1 });
    await expect(turns.take(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await turns.take(() => Promise.resolve('good'))).toBe('good');
  });

  describe('with a time to wait', () => {
    beforeEach(() => jest.useFakeTimers());
    afterEach(() => jest.useRealTimers());

    it('refuses what has waited too long, and goes on with the next', async () => {
      const turns = new Turns({ atOnce: 1, mostWaiting: 2, waitMs: 1_000 });
      const first = somePieces(turns, 2);
      const late = expect(first.done[1]).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      jest.advanceTimersByTime(999);
      const inTime = turns.take(() => Promise.resolve('in time'));

      jest.advanceTimersByTime(1);
      await late;
      first.end(0);

      expect(await inTime).toBe('in time');
      expect(first.begun).toEqual([0]);
      expect(jest.getTimerCount()).toBe(0);
    });
  });
});

describe('TurnsByName', () => {
  it('lets each name have its own turns, and forgets names that are done', async () => {
    const turns = new TurnsByName({ atOnce: 1, mostWaiting: 1 });
    let end = () => {};
    const held = turns.take('a', () => new Promise<void>((resolve) => (end = resolve)));
    const waiting = turns.take('a', () => Promise.resolve('after'));
    await expect(turns.take('a', () => Promise.resolve())).rejects.toBeInstanceOf(ServiceUnavailableError);

    expect(await turns.take('b', () => Promise.resolve('at once'))).toBe('at once');
    expect(turns.names).toBe(1);

    end();
    await held;
    expect(await waiting).toBe('after');
    expect(turns.names).toBe(0);
  });
});
