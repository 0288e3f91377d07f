import type { FlowAction, FlowStep } from './flow-version';

interface Pending {
  step: FlowAction;
  /** Puts the copy where the original stood. */
  place: (copy: FlowAction) => void;
}

/**
 * Copies the tree and replaces each step by the result of `change`. The steps that this result links to are changed
 * next. The function is not recursive: each step nests one level deeper in its version, and a version has up to 1,000
 * steps.
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
