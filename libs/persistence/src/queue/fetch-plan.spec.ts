import { FairSlots, SPARE_RUNS, type RunRoom } from '@millrace/domain';
import { FetchPlan } from './fetch-plan';
import { roomIn } from './testing/room-in';

describe('FetchPlan', () => {
  let slots: FairSlots;
  let room: RunRoom;
  let plan: FetchPlan;

  beforeEach(() => {
    slots = new FairSlots(4, 4);
    room = roomIn(slots);
    plan = new FetchPlan(room);
  });

  const arrive = (projectId: string, runs: number): boolean => {
    plan.came(runs);
    for (let n = 0; n < runs; n++) slots.take(projectId);
    return plan.handedOver(runs);
  };

  it('wants jobs until the slots are taken and a job is on hand', () => {
    arrive('a', 4 + SPARE_RUNS - 1);
    expect(plan.wantsMore).toBe(true);

    arrive('a', 1);
    expect(plan.wantsMore).toBe(false);
  });

  it('counts runs that have arrived and are not in their slots yet', () => {
    plan.came(4 + SPARE_RUNS);

    expect(plan.wantsMore).toBe(false);
  });

  it('counts each fetch under way as the job that came last', () => {
    arrive('a', 10);
    plan.asked();
    expect(plan.wantsMore).toBe(false);

    plan.answered();
    expect(plan.wantsMore).toBe(true);
  });

  it('makes an exception for a project that has its turn, and for one job', () => {
    arrive('a', 4 + SPARE_RUNS);

    expect(plan.makeException(['a'])).toBe(false);
    expect(plan.makeException(['a', 'b'])).toBe(true);
    expect(plan.wantsMore).toBe(true);
    expect(arrive('b', 1)).toBe(true);
    expect(plan.wantsMore).toBe(false);
    expect(arrive('b', 1)).toBe(false);
  });
});
