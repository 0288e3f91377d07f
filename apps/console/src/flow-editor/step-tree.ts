import { bodiesOf, chainOf, placeAfter, stepsOf, type Place, type Step } from '../flow-picture/step';

// Reads and rearranges the steps of a flow. No function changes its arguments; steps that stay are shared.

type Link = Step | null | undefined;

export function findStep(trigger: Step, name: string | null): Step | null {
  for (const step of stepsOf(trigger)) if (step.name === name) return step;
  return null;
}

/** The names of a step, of what is inside it and of what comes after it. */
export const namesOf = (first: Link): Set<string> => new Set(Array.from(stepsOf(first), ({ name }) => name));

/** The steps of these names in the order of writing, without the trigger and those that are inside another. */
export function outermostSteps(trigger: Step, names: ReadonlySet<string>): Step[] {
  const named = Array.from(stepsOf(trigger)).filter((step) => step !== trigger && names.has(step.name));
  const inside = new Set(named.flatMap((step) => [...namesOf(alone(step))].filter((name) => name !== step.name)));
  return named.filter(({ name }) => !inside.has(name));
}

/** The step with what is inside it, but without what comes after it. */
export function alone(step: Step): Step {
  const { nextAction: _next, ...rest } = step;
  return rest;
}

/** The step without any other step. */
export function bare(step: Step): Step {
  const { nextAction: _next, firstLoopAction: _body, children: _children, ...rest } = step;
  return rest;
}

/** Where a step stands; null for the trigger and for a step that is not in the flow. */
export function placeOf(trigger: Step, name: string): Place | null {
  for (const step of stepsOf(trigger)) {
    if (step.nextAction?.name === name) return placeAfter(step);
    const body = bodiesOf(step).find(({ first }) => first?.name === name);
    if (body) return body.place;
  }
  return null;
}

/** The flow with each step replaced by what becomes of it. Its links are kept. */
export function mapSteps(first: Step, change: (step: Step) => Step): Step {
  const mapped = (link: Link): Link => link && mapSteps(link, change);
  const { nextAction, firstLoopAction, children } = first;
  return {
    ...change(first),
    ...(nextAction && { nextAction: mapped(nextAction) }),
    ...(firstLoopAction && { firstLoopAction: mapped(firstLoopAction) }),
    ...(children && { children: children.map((child) => mapped(child) ?? null) }),
  };
}

export const changeStep = (trigger: Step, name: string, change: (step: Step) => Step): Step =>
  changed(trigger, name, change) ?? trigger;

/** The flow with a step in a place. What stood there comes behind it. A place that is not there changes nothing. */
export const insertStep = (trigger: Step, place: Place, step: Step): Step =>
  changeStep(trigger, place.parentStep, (parent) => withInserted(parent, place, step));

/** The flow without some steps and what is inside of them. What comes after them moves up. */
export const removeSteps = (trigger: Step, names: ReadonlySet<string>): Step => without(trigger, names) ?? trigger;

function changed(first: Link, name: string, change: (step: Step) => Step): Link {
  if (!first) return first;
  return first.name === name ? change(first) : relinked(first, (link) => changed(link, name, change));
}

function without(first: Link, names: ReadonlySet<string>): Link {
  if (!first) return first;
  return names.has(first.name) ? without(first.nextAction, names) : relinked(first, (link) => without(link, names));
}

function withInserted(parent: Step, { stepLocationRelativeToParent: location, branchIndex }: Place, step: Step): Step {
  if (location === 'AFTER') return { ...parent, nextAction: followedBy(step, parent.nextAction) };
  if (location === 'INSIDE_LOOP') return { ...parent, firstLoopAction: followedBy(step, parent.firstLoopAction) };
  const { children = [] } = parent;
  return { ...parent, children: children.map((child, i) => (i === branchIndex ? followedBy(step, child) : child)) };
}

const followedBy = (first: Step, rest: Link): Step =>
  [...chainOf(first)].reduceRight<Link>((nextAction, step) => ({ ...step, nextAction }), rest) ?? first;

/** The step with other links. It stays the same object when no link changes. */
function relinked(step: Step, to: (link: Link) => Link): Step {
  const nextAction = to(step.nextAction);
  const firstLoopAction = to(step.firstLoopAction);
  const children = step.children?.map((child) => to(child) ?? null);
  const isSame =
    nextAction === step.nextAction &&
    firstLoopAction === step.firstLoopAction &&
    (children ?? []).every((child, index) => child === (step.children?.[index] ?? null));
  if (isSame) return step;
  return { ...step, nextAction, firstLoopAction, children };
}
