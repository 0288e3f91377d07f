import { FreezeWatch } from './freeze-watch';

describe('FreezeWatch', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('sees nothing while time passes as it should', () => {
    const watch = new FreezeWatch();
    const began = performance.now();

    jest.advanceTimersByTime(60_000);

    expect(watch.wasFrozenSince(began)).toBe(false);
  });

  it('sees that the process stood still, also when it is asked before its own beat', () => {
    const watch = new FreezeWatch();
    const began = performance.now();

    const clock = jest.spyOn(performance, 'now').mockReturnValue(began + 45_000);

    expect(watch.wasFrozenSince(began)).toBe(true);
    expect(watch.wasFrozenSince(began + 45_001)).toBe(false);
    clock.mockRestore();
  });
});
