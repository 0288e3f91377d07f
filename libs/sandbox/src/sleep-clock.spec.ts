import { SleepClock } from './sleep-clock';

/** Begins a try of a step. `sleepsOver` of its sleeps were over in earlier tries. */
function aTry(sleepsOver = 0) {
  const now = { ms: 5_000 };
  const clock = new SleepClock(() => now.ms);
  clock.start(sleepsOver);
  return { clock, pass: (ms: number) => (now.ms += ms) };
}

describe('SleepClock', () => {
  it('sleeps until the first of its sleeps is over, and is told which', () => {
    const { clock, pass } = aTry();
    clock.add(1, 300);
    clock.add(2, 100);

    expect(clock.takeOver()).toBeUndefined();
    expect(clock.fallAsleep()).toEqual({ forMs: 100, sleepsOver: 1 });
    pass(100);
    clock.wake();
    expect([clock.takeOver(), clock.takeOver()]).toEqual([2, undefined]);
    expect(clock.fallAsleep()).toEqual({ forMs: 200, sleepsOver: 2 });
  });

  it('has the sleeps of earlier tries over at once, and sleeps the next', () => {
    const { clock } = aTry(2);
    clock.add(1, 100);
    expect(clock.takeOver()).toBe(1);
    clock.add(2, 150);
    expect(clock.takeOver()).toBe(2);
    clock.add(3, 100);

    expect(clock.takeOver()).toBeUndefined();
    expect(clock.fallAsleep()).toEqual({ forMs: 100, sleepsOver: 3 });
    expect(clock.sleptMs).toBe(250);
  });

  it('lets sleeps at the same time pass at the same time, also those of earlier tries', () => {
    const { clock } = aTry(2);
    clock.add(1, 100);
    clock.add(2, 60);
    clock.add(3, 150);

    expect([clock.takeOver(), clock.takeOver(), clock.takeOver()]).toEqual([2, 1, undefined]);
    expect(clock.fallAsleep()).toEqual({ forMs: 50, sleepsOver: 3 });
    expect(clock.sleptMs).toBe(100);
  });

  it('is over when its time has passed while the code ran', () => {
    const { clock, pass } = aTry();
    clock.add(1, 100);
    pass(120);

    expect(clock.takeOver()).toBe(1);
    expect(clock.sleptMs).toBe(0);
  });

  it('goes on when its timer was early, and counts no waiting for a thread as sleep', () => {
    const { clock, pass } = aTry();
    clock.add(1, 100);
    clock.fallAsleep();
    pass(99);
    clock.wake();
    expect(clock.takeOver()).toBe(1);

    clock.add(2, 100);
    clock.fallAsleep();
    pass(5_000);
    clock.wake();
    expect(clock.sleptMs).toBe(200);
  });

  it('counts even the shortest sleep', () => {
    const { clock } = aTry();
    clock.add(1, 0);

    expect(clock.fallAsleep().forMs).toBe(1);
  });
});
