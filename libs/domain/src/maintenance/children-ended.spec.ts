import type { RunFamilies } from '../runs/run-families';
import { HandDrivenClock } from '../testing/hand-driven-clock';
import { HELD } from '../testing/held-lease';
import { ChildrenEnded } from './children-ended';

describe('ChildrenEnded', () => {
  it('tells the parents of all children that ended, a page after the other', async () => {
    let untold = 1_200;
    const notifyParents = jest.fn((limit: number) => {
      const told = Math.min(limit, untold);
      untold -= told;
      return Promise.resolve(told);
    });

    await new ChildrenEnded({ notifyParents } as unknown as RunFamilies, new HandDrivenClock()).perform(HELD);

    expect(untold).toBe(0);
    expect(notifyParents).toHaveBeenCalledTimes(3);
  });
});
