/** A step of the flow JSON (docs/flow-json.md), as far as pictures of flows need it. */
export interface Step {
  name: string;
  displayName: string;
  type: 'EMPTY' | 'PIECE_TRIGGER' | 'PIECE' | 'CODE' | 'LOOP_ON_ITEMS' | 'ROUTER';
  valid: boolean;
  skip?: boolean;
  settings: Readonly<Record<string, unknown>>;
  nextAction?: Step | null;
  firstLoopAction?: Step | null;
  /** The first step of each branch of a router; null for an empty branch. */
  children?: readonly (Step | null)[];
}

/** Where a step may be put, in the words of the operation ADD_ACTION. */
export interface Place {
  parentStep: string;
  stepLocationRelativeToParent: 'AFTER' | 'INSIDE_LOOP' | 'INSIDE_BRANCH';
  branchIndex?: number;
}

/** A chain of steps inside a loop or a router. */
export interface Body {
  place: Place;
  /** The name of the branch; null for the body of a loop, which has none. */
  branchName: string | null;
  first: Step | null;
}

export function bodiesOf(step: Step): Body[] {
  const parentStep = step.name;
  if (step.type === 'LOOP_ON_ITEMS') {
    const place: Place = { parentStep, stepLocationRelativeToParent: 'INSIDE_LOOP' };
    return [{ place, branchName: null, first: step.firstLoopAction ?? null }];
  }
  if (step.type !== 'ROUTER') return [];
  return branchNamesOf(step).map((branchName, branchIndex) => ({
    place: { parentStep, stepLocationRelativeToParent: 'INSIDE_BRANCH', branchIndex },
    branchName,
    first: step.children?.[branchIndex] ?? null,
  }));
}

/** How a body is named among the rows of the outline: a branch by its index, the body of a loop by the loop. */
export const bodyIdOf = ({ parentStep, branchIndex }: Place): string =>
  branchIndex === undefined ? parentStep : `${parentStep}/${branchIndex}`;

/** The place directly after a step. */
export const placeAfter = (step: Step): Place => ({ parentStep: step.name, stepLocationRelativeToParent: 'AFTER' });

/** The steps of a chain, without what is inside of them. */
export function* chainOf(first: Step | null | undefined): Generator<Step> {
  for (let step = first; step; step = step.nextAction) yield step;
}

/** All steps, each before what is inside it, and that before what comes after it. */
export function* stepsOf(first: Step | null | undefined): Generator<Step> {
  const pending = [first];
  while (pending.length > 0) {
    const step = pending.pop();
    if (!step) continue;
    yield step;
    pending.push(step.nextAction);
    if (step.type === 'LOOP_ON_ITEMS') pending.push(step.firstLoopAction);
    if (step.type === 'ROUTER') pending.push(...(step.children ?? []).toReversed());
  }
}

function branchNamesOf({ settings, children = [] }: Step): string[] {
  const { branches = [] } = settings as { branches?: readonly { branchName?: string }[] };
  const count = Math.max(branches.length, children.length);
  return Array.from({ length: count }, (_, index) => branches[index]?.branchName || `Branch ${index + 1}`);
}
