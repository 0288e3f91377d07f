import { bodiesOf, chainOf, type Step } from './step';

// Where the arrow keys lead from a step: along the flow, into what is inside a step, and out of it again.

export type Direction = 'next' | 'previous' | 'in' | 'out';

/** What is around a step: the chain that it stands in, and the step whose body that chain is. */
interface Surroundings {
  chain: readonly Step[];
  index: number;
  parent: Step | null;
  /** The first steps of the bodies beside this one, itself included, without empty ones. */
  heads: readonly Step[];
}

/** The step in a direction; null where there is none. */
export function neighbourOf(trigger: Step, name: string, direction: Direction): Step | null {
  const found = surroundingsOf(trigger, name);
  if (!found) return null;
  const { chain, index, parent } = found;
  const step = chain[index] as Step;
  switch (direction) {
    case 'next':
      return chain[index + 1] ?? following(trigger, parent);
    case 'previous':
      return chain[index - 1] ?? parent;
    case 'in':
      return headsOf(step)[0] ?? besides(found);
    case 'out':
      return parent;
  }
}

/** What comes after a step, or after the one around it. */
function following(trigger: Step, step: Step | null): Step | null {
  const found = step && surroundingsOf(trigger, step.name);
  return found ? (found.chain[found.index + 1] ?? following(trigger, found.parent)) : null;
}

/** The head of the branch beside the one that a step stands in. */
function besides({ chain, heads }: Surroundings): Step | null {
  const at = heads.findIndex(({ name }) => name === chain[0]?.name);
  return heads[at + 1] ?? null;
}

const headsOf = (step: Step): Step[] => bodiesOf(step).flatMap(({ first }) => first ?? []);

function surroundingsOf(trigger: Step, name: string): Surroundings | null {
  const pending: { first: Step; parent: Step | null; heads: readonly Step[] }[] = [
    { first: trigger, parent: null, heads: [trigger] },
  ];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const chain = [...chainOf(next.first)];
    const index = chain.findIndex((step) => step.name === name);
    if (index >= 0) return { chain, index, parent: next.parent, heads: next.heads };
    for (const parent of chain) {
      const heads = headsOf(parent);
      pending.push(...heads.map((first) => ({ first, parent, heads })));
    }
  }
  return null;
}

/** The loops and routers around a step, the innermost first. */
export function parentsOf(trigger: Step, name: string): Step[] {
  const parents: Step[] = [];
  for (let at = surroundingsOf(trigger, name)?.parent; at; at = surroundingsOf(trigger, at.name)?.parent)
    parents.push(at);
  return parents;
}
