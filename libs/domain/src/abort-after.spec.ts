import { getEventListeners } from 'node:events';
import { abortAfter, abortWith } from './abort-after';

describe('abortAfter', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('aborts at the limit, and says so', () => {
    const limit = abortAfter(5_000, new AbortController().signal);

    jest.advanceTimersByTime(4_999);
    expect(limit.signal.aborted).toBe(false);
    jest.advanceTimersByTime(1);

    expect([limit.signal.aborted, limit.isOutOfTime]).toEqual([true, true]);
    expect(limit.signal.reason).toEqual(new Error('It took more than 5 seconds.'));
  });

  it('aborts with the other signal, for its reason', () => {
    const stop = new AbortController();
    const before = abortAfter(5_000, stop.signal);
    stop.abort('stopped');
    const after = abortAfter(5_000, stop.signal);

    for (const { signal, isOutOfTime } of [before, after])
      expect([signal.reason, isOutOfTime]).toEqual(['stopped', false]);
  });
});

describe('a signal that lives long', () => {
  it('keeps no trace of a thousand limits and links that have ended', () => {
    const stop = new AbortController();
    const sizes: number[] = [];

    for (let i = 0; i < 1_000; i++) {
      const [limit, link] = [abortAfter(1_000, stop.signal), abortWith([stop.signal])];
      sizes.push(tracesIn(stop.signal));
      limit.end();
      link.end();
    }

    expect(Math.max(...sizes)).toBe(2);
    expect(tracesIn(stop.signal)).toBe(0);
  });

  it('may be heard by many calls at once, without a warning', async () => {
    const warned: Error[] = [];
    const note = (warning: Error): void => void warned.push(warning);
    process.on('warning', note);
    const { signal } = abortWith([]);

    for (let i = 0; i < 50; i++) signal.addEventListener('abort', () => undefined);

    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', note);
    expect(warned).toEqual([]);
  });
});

/** How many listeners a signal has, and how many signals that `AbortSignal.any` has made of it. */
function tracesIn(signal: AbortSignal): number {
  const made = Object.getOwnPropertySymbols(signal).find(({ description }) => description === 'kDependantSignals');
  const dependant = made && (Reflect.get(signal, made) as Set<unknown> | undefined);
  return getEventListeners(signal, 'abort').length + (dependant?.size ?? 0);
}
