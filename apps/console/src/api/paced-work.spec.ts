import { PacedWork } from './paced-work';

describe('PacedWork', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  /** Work that takes so long, and the moments at which it began. */
  const workOf = (ms: number) => {
    const begun: number[] = [];
    const start = performance.now();
    const work = new PacedWork(
      () => {
        begun.push(performance.now() - start);
        return new Promise((resolve) => setTimeout(resolve, ms));
      },
      { leastMs: 2_000, mostMs: 30_000 },
    );
    return { work, begun };
  };

  it('begins at once, and once for many signals', async () => {
    const { work, begun } = workOf(10);

    for (let n = 0; n < 100; n++) work.signal();
    await jest.advanceTimersByTimeAsync(1_000);

    expect(begun).toEqual([0]);
  });

  it('begins again for a signal that came while it worked, after a rest', async () => {
    const { work, begun } = workOf(10);
    work.signal();
    await jest.advanceTimersByTimeAsync(5);

    work.signal();
    await jest.advanceTimersByTimeAsync(10_000);

    expect(begun).toEqual([0, 2_010]);
  });

  it('rests longer when it takes longer, up to a bound', async () => {
    const slow = workOf(500);
    const slowest = workOf(5_000);
    for (let second = 0; second < 60; second++) {
      slow.work.signal();
      slowest.work.signal();
      await jest.advanceTimersByTimeAsync(1_000);
    }

    expect(slow.begun).toEqual([0, 10_500, 21_000, 31_500, 42_000, 52_500]);
    expect(slowest.begun).toEqual([0, 35_000]);
  });

  it('does not begin any more when it is stopped', async () => {
    const { work, begun } = workOf(10);
    work.signal();

    work.stop();
    await jest.advanceTimersByTimeAsync(1_000);

    expect(begun).toEqual([]);
  });
});
