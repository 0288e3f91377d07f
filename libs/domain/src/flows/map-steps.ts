import type { FlowAction, FlowStep } from './flow-version';

interface Pending {
  step: FlowAction;
  /** Puts the copy where the original stood. */
  place: (copy: FlowAction) => void;
}

/**
 * A copy of the tree in which each step is what `change` makes of it. The links of what it makes are followed: a step
 * that it links to is changed in its turn. Not recursive: each step of a version nests one level, and a version has up
 * to 1,000.
 */
export function mapSteps<T extends FlowStep>(first: T, change: <S extends FlowStep>(step: S) => S): T {
  const pending: Pending[] = [];
  const copyOf = <S extends FlowStep>(step: S): S => {
    const copy: S = { ...change(step) };
    pending.push(...linksOf(copy));
    return copy;
  };
  const head = copyOf(first);
  for (let next = pending.pop(); next; next = pending.pop()) next.place(copyOf(next.step));
  return head;
}

function linksOf(copy: FlowStep): Pending[] {
  const links: Pending[] = [];
  if (copy.nextAction) links.push({ step: copy.nextAction, place: (action) => (copy.nextAction = action) });
  if (copy.type === 'LOOP_ON_ITEMS' && copy.firstLoopAction)
    links.push({ step: copy.firstLoopAction, place: (action) => (copy.firstLoopAction = action) });
  if (copy.type === 'ROUTER') {
    const children = (copy.children = [...copy.children]);
    children.forEach((child, index) => {
      if (child) links.push({ step: child, place: (action) => (children[index] = action) });
    });
  }
  return links;
}
