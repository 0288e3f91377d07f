import { bodiesOf, chainOf, type Step } from '../flow-picture/step';

/**
 * The steps that have run before a step, in their order: those whose results its expressions can read. What is inside a
 * loop is known only inside of it; what is in the branches of a router is known after it.
 */
export const earlierSteps = (trigger: Step, name: string): Step[] => before(trigger, name) ?? [];

function before(first: Step | null | undefined, name: string): Step[] | null {
  const earlier: Step[] = [];
  for (const step of chainOf(first)) {
    if (step.name === name) return earlier;
    for (const { first: inside } of bodiesOf(step)) {
      const found = before(inside, name);
      if (found) return [...earlier, step, ...found];
    }
    earlier.push(...knownAfter(step));
  }
  return null;
}

function knownAfter(step: Step): Step[] {
  if (step.type !== 'ROUTER') return [step];
  return [step, ...bodiesOf(step).flatMap(({ first }) => [...chainOf(first)].flatMap(knownAfter))];
}
