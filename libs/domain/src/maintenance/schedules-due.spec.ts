import { HandDrivenClock } from '../testing/hand-driven-clock';
import { HELD, lostAfter } from '../testing/held-lease';
import type { ScheduledRuns } from '../triggers/schedules/scheduled-runs';
import { SchedulesDue } from './schedules-due';

function setUp(due: number) {
  const startDue = jest.fn((limit: number) => {
    const started = Math.min(limit, due);
    due -= started;
    return Promise.resolve(started);
  });
  const duty = new SchedulesDue({ startDue } as unknown as ScheduledRuns, new HandDrivenClock());
  return { startDue, left: () => due, duty };
}

describe('SchedulesDue', () => {
  it('starts the runs of all that are due, a page after the other', async () => {
    const { duty, startDue, left } = setUp(1_000);

    await duty.perform(HELD);

    expect(left()).toBe(0);
    expect(startDue.mock.calls).toEqual([[250], [250], [250], [250], [250]]);
  });

  it('begins no page after its process has lost the leader lease', async () => {
    const { duty, startDue } = setUp(1_000);

    await duty.perform(lostAfter(1));

    expect(startDue).toHaveBeenCalledTimes(1);
  });
});
