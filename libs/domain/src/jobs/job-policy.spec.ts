import { JOB_PRIORITY, placeInQueue } from './job-policy';

describe('placeInQueue', () => {
  const { webhook, schedule, maintenance } = JOB_PRIORITY;

  it("is the priority of the kind for a project that is in nobody's way", () => {
    expect([webhook, schedule, maintenance].map((kind) => placeInQueue(kind, 0, false))).toEqual([1, 5, 10]);
  });

  it('is behind all others of a lower level, whatever they are', () => {
    expect(placeInQueue(webhook, 1, true)).toBeGreaterThan(placeInQueue(maintenance, 0, false));
    expect(placeInQueue(webhook, 10, true)).toBeGreaterThan(placeInQueue(maintenance, 9, false));
  });

  it('is before those of its level that begin for what goes on, and never without a priority', () => {
    expect(placeInQueue(webhook, 3, true)).toBeLessThan(placeInQueue(webhook, 3, false));
    expect(placeInQueue(webhook, 0, true)).toBe(1);
  });
});
