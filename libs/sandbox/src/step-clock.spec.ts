import { StepClock } from './step-clock';

/** A step on a thread. `pass` moves the time, of which the thread gets `share` on a CPU. */
function setUp(limitMs = 10_000) {
  const now = { wall: 1_000, cpu: 300, readings: 0 };
  const clock = new StepClock(
    {
      wallMs: () => now.wall,
      cpuMs: () => {
        now.readings++;
        return now.cpu;
      },
    },
    limitMs,
  );
  const pass = (wallMs: number, share: number) => {
    now.wall += wallMs;
    now.cpu += wallMs * share;
  };
  return { clock, now, pass };
}

describe('StepClock', () => {
  it('does not end a step of which a busy machine made a long one', () => {
    const { clock, pass } = setUp();
    clock.start();
    clock.enter();

    for (let second = 0; second < 30; second++) {
      pass(1_000, 0.3);
      expect(clock.isOver()).toBe(false);
    }
    expect(clock.usedMs()).toBeCloseTo(9_000);
  });

  it('ends a step that has used its CPU time, however long that took', () => {
    const { clock, pass } = setUp();
    clock.start();
    clock.enter();

    pass(30_000, 0.33);
    expect(clock.isOver()).toBe(false);
    pass(400, 0.33);
    expect(clock.isOver()).toBe(true);
  });

  it('ends a step whose CPU time the accounting does not see after ten times its limit', () => {
    const { clock, pass } = setUp();
    clock.start();
    clock.enter();

    pass(99_999, 0);
    expect(clock.isOver()).toBe(false);
    pass(2, 0);
    expect(clock.isOver()).toBe(true);
  });

  it('adds up what a step uses between its sleeps, and what earlier tries of it used', () => {
    const { clock, pass } = setUp();
    clock.start(2_000);

    for (let part = 0; part < 3; part++) {
      clock.enter();
      pass(4_000, 0.5);
      clock.leave();
      pass(60_000, 0.9); // other steps of the same thread
    }

    expect(clock.usedMs()).toBeCloseTo(8_000);
    expect(clock.enter()).toMatchObject({ cpuMs: expect.closeTo(300 + 3 * 56_000 + 2_000) as number });
  });

  it('tells the watchdog the earliest moment, the account and the bound', () => {
    const { clock } = setUp(500);
    clock.start();

    expect(clock.enter()).toEqual({ earliestMs: 1_500, cpuMs: 800, wallMs: 6_000 });
  });

  it('reads the account of the thread rarely while steps are short', () => {
    const { clock, now, pass } = setUp();

    for (let step = 0; step < 1_000; step++) {
      clock.start();
      clock.enter();
      clock.isOver();
      pass(0.1, 1);
      clock.leave();
    }

    expect(now.readings).toBeLessThan(30);
  });
});
