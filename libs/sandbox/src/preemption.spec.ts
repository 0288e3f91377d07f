import { choosePreempted } from './preemption';

const held = (tenant: string, heldMs: number, preemptions = 0) => ({ tenant, heldMs, preemptions });

describe('choosePreempted', () => {
  it('ends the longest step of the tenant that holds most threads', () => {
    const longest = held('many', 700);

    expect(choosePreempted([held('one', 5_000), held('many', 300), longest])).toBe(longest);
  });

  it('passes over a step that was ended twice already', () => {
    const next = held('many', 300, 1);

    expect(choosePreempted([held('many', 700, 2), next])).toBe(next);
    expect(choosePreempted([held('many', 700, 2), held('many', 300, 2)])).toBeUndefined();
  });

  it('leaves a tenant its only thread for a second', () => {
    const long = held('b', 1_200);

    expect(choosePreempted([held('a', 900)])).toBeUndefined();
    expect(choosePreempted([held('a', 900), long])).toBe(long);
  });
});
