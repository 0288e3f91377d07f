import { Pace } from './pace';

function aPace() {
  const clock = { now: 0 };
  return { clock, pace: new Pace(() => clock.now) };
}

describe('the pace of a host', () => {
  it('lets much be done at once, and then the host rests until it is paid', () => {
    const { clock, pace } = aPace();
    pace.spend(1_000_000);
    expect(pace.restMs).toBe(0);

    pace.spend(500_000);
    expect(pace.restMs).toBe(1_000);
    clock.now += 400;
    expect(pace.restMs).toBe(600);
    clock.now += 600;
    expect(pace.restMs).toBe(0);
  });

  it('never stops a host that does little at a time, however much that is together', () => {
    const { clock, pace } = aPace();
    for (let n = 0; n < 10_000; n++) {
      clock.now++;
      pace.spend(500);
      expect(pace.restMs).toBe(0);
    }
  });

  it('does not save up the time in which a host does nothing', () => {
    const { clock, pace } = aPace();
    clock.now += 3_1_000_000;
    pace.spend(1_500_000);
    expect(pace.restMs).toBe(0);
    pace.spend(1_500_000);
    expect(pace.restMs).toBe(1_000);
  });
});
