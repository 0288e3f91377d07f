import type { RunWaits } from '../runs/run-waits';
import { HandDrivenClock } from '../testing/hand-driven-clock';
import { HELD, lostAfter } from '../testing/held-lease';
import { WaitsDue } from './waits-due';

function setUp(due: number, pageTakesMs = 0) {
  const clock = new HandDrivenClock();
  const endDue = jest.fn((limit: number) => {
    clock.advance(pageTakesMs);
    const ended = Math.min(limit, due);
    due -= ended;
    return Promise.resolve({ ended });
  });
  return { endDue, left: () => due, duty: new WaitsDue({ endDue } as unknown as RunWaits, clock) };
}

describe('WaitsDue', () => {
  it('asks once when nothing is due', async () => {
    const { duty, endDue } = setUp(0);

    await duty.perform(HELD);

    expect(endDue.mock.calls).toEqual([[1_000]]);
  });

  it('ends all that are due, a page after the other', async () => {
    const { duty, endDue, left } = setUp(2_500);

    await duty.perform(HELD);

    expect(left()).toBe(0);
    expect(endDue).toHaveBeenCalledTimes(3);
  });

  it('tells which runs were paused for too long, ten of them by their ids', async () => {
    const timedOut = Array.from({ length: 12 }, (_, n) => `run ${n + 1}`);
    const endDue = () => Promise.resolve({ ended: 12, timedOut });
    const duty = new WaitsDue({ endDue } as unknown as RunWaits, new HandDrivenClock());

    expect(await duty.perform(HELD)).toMatch(
      /^12 runs were paused for too long and have ended as TIMEOUT: run 1, .*, run 10 and others\.$/,
    );
  });

  it('begins no page after its process has lost the leader lease', async () => {
    const { duty, endDue, left } = setUp(100_000);

    await duty.perform(lostAfter(2));

    expect(endDue).toHaveBeenCalledTimes(2);
    expect(left()).toBe(98_000);
  });

  it('leaves the rest for its next turn when its time is over', async () => {
    const { duty, endDue, left } = setUp(100_000, 1_000);

    await duty.perform(HELD);

    expect(endDue).toHaveBeenCalledTimes(5);
    expect(left()).toBe(95_000);
  });
});
