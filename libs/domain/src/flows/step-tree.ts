import { FlowOperationInvalidError } from '../errors/flow-operation-invalid.error';
import {
  stepsOf,
  type FlowAction,
  type FlowStep,
  type FlowTrigger,
  type LoopAction,
  type RouterAction,
} from './flow-version';
import { mapSteps } from './map-steps';
import { assertHasBranch } from './router-branches';

// Reads and rearranges the tree of steps of a version. No function here changes its arguments.
//
// The functions are not recursive: each step nests one level deeper in its version, and a version has up to 1,000
// steps.

/** A place for a step, relative to the step that it follows or goes into. */
export interface StepPlace {
  parentStep: string;
  location: StepLocation;
  /** The branch, when `location` is INSIDE_BRANCH. */
  branchIndex?: number;
}

export type StepLocation = 'AFTER' | 'INSIDE_LOOP' | 'INSIDE_BRANCH';
export const STEP_LOCATIONS: readonly StepLocation[] = ['AFTER', 'INSIDE_LOOP', 'INSIDE_BRANCH'];

/** The step with this name; null when there is none. */
export function findStep(trigger: FlowTrigger, name: string): FlowStep | null {
  for (const step of stepsOf(trigger)) if (step.name === name) return step;
  return null;
}

/** The step with this name. Throws FlowOperationInvalidError when there is none. */
export function stepNamed(trigger: FlowTrigger, name: string): FlowStep {
  const step = findStep(trigger, name);
  if (step === null) throw unknownStep(name);
  return step;
}

/**
 * The action with this name. Throws FlowOperationInvalidError when there is none, or when the name is the trigger's.
 * `done` is the refused action in the message, such as `moved`.
 */
export function actionNamed(trigger: FlowTrigger, name: string, done: string): FlowAction {
  if (trigger.name === name) throw notForTrigger(name, done);
  return stepNamed(trigger, name) as FlowAction;
}

/** Throws FlowOperationInvalidError when a name is unknown or the trigger's. */
export function assertAreActions(trigger: FlowTrigger, names: readonly string[], done: string): void {
  const known = namesOf(trigger);
  for (const name of names) {
    if (name === trigger.name) throw notForTrigger(name, done);
    if (!known.has(name)) throw unknownStep(name);
  }
}

/** Throws FlowOperationInvalidError when the flow has a step of one of these names. */
export function assertAreFree(trigger: FlowTrigger, names: Iterable<string>): void {
  const taken = namesOf(trigger);
  for (const name of names)
    if (taken.has(name)) throw new FlowOperationInvalidError(`There is a step ${name} in the flow already.`);
}

/** The router with this name. Throws FlowOperationInvalidError when there is no such step, or it is not a router. */
export function routerNamed(trigger: FlowTrigger, name: string): RouterAction {
  const step = stepNamed(trigger, name);
  if (step.type !== 'ROUTER') throw new FlowOperationInvalidError(`The step ${name} is no router and has no branches.`);
  return step;
}

/** The names of a step, of the steps in its body and of the steps after it. */
export const namesOf = (first: FlowStep | null): Set<string> => new Set(Array.from(stepsOf(first), ({ name }) => name));

/** The step with its body, but without the steps after it. */
export const alone = <T extends FlowStep>(step: T): T => linked(step, undefined);

/** The tree with one step replaced by the result of `change`. Links that `change` sets are part of the new tree. */
export const changeStep = (trigger: FlowTrigger, name: string, change: (step: FlowStep) => FlowStep): FlowTrigger =>
  mapSteps(trigger, <S extends FlowStep>(step: S): S => (step.name === name ? (change(step) as S) : step));

/** The tree with one router replaced by the result of `change`. Throws as `routerNamed` does. */
export function changeRouter(
  trigger: FlowTrigger,
  name: string,
  change: (router: RouterAction) => RouterAction,
): FlowTrigger {
  const changed = change(routerNamed(trigger, name));
  return changeStep(trigger, name, () => changed);
}

/**
 * The tree with a step, and the steps after it, inserted in a place. The steps that stood there follow the new ones.
 * Throws FlowOperationInvalidError when there is no such place.
 */
export const insertSteps = (trigger: FlowTrigger, place: StepPlace, first: FlowAction): FlowTrigger => {
  stepNamed(trigger, place.parentStep);
  return changeStep(trigger, place.parentStep, (parent) => insertInto(parent, place, first));
};

/** The tree without the named steps and their bodies. The steps after a removed step take its place. */
export function removeSteps(trigger: FlowTrigger, names: ReadonlySet<string>): FlowTrigger {
  const firstKept = (step: FlowAction | null | undefined): FlowAction | undefined => {
    let kept = step;
    while (kept && names.has(kept.name)) kept = kept.nextAction;
    return kept ?? undefined;
  };
  return mapSteps(trigger, <S extends FlowStep>(step: S): S => relinked(step, firstKept) as S);
}

/** How many loops and routers are around the innermost step. */
export function nestingOf(first: FlowStep): number {
  let deepest = 0;
  const pending: [FlowStep | null | undefined, number][] = [[first, 0]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [step, nesting] = next;
    if (!step) continue;
    deepest = Math.max(deepest, nesting);
    pending.push([step.nextAction, nesting]);
    if (step.type === 'LOOP_ON_ITEMS') pending.push([step.firstLoopAction, nesting + 1]);
    if (step.type === 'ROUTER') for (const child of step.children) pending.push([child, nesting + 1]);
  }
  return deepest;
}

/** The step with each of its links replaced by the result of `to`. */
function relinked(step: FlowStep, to: (link: FlowAction | null | undefined) => FlowAction | undefined): FlowStep {
  const next = to(step.nextAction);
  const copy: FlowStep = next === step.nextAction ? step : linked(step, next);
  switch (copy.type) {
    case 'LOOP_ON_ITEMS':
      return withBody(copy, to(copy.firstLoopAction));
    case 'ROUTER':
      return { ...copy, children: copy.children.map((child) => to(child) ?? null) };
    default:
      return copy;
  }
}

function insertInto(parent: FlowStep, { location, branchIndex }: StepPlace, first: FlowAction): FlowStep {
  switch (location) {
    case 'AFTER':
      return linked(parent, followedBy(first, parent.nextAction));
    case 'INSIDE_LOOP':
      if (parent.type !== 'LOOP_ON_ITEMS')
        throw new FlowOperationInvalidError(`The step ${parent.name} is no loop, so nothing can be put inside it.`);
      return withBody(parent, followedBy(first, parent.firstLoopAction));
    case 'INSIDE_BRANCH':
      return insertIntoBranch(parent, branchIndex, first);
  }
}

function insertIntoBranch(parent: FlowStep, branchIndex: number | undefined, first: FlowAction): RouterAction {
  if (parent.type !== 'ROUTER')
    throw new FlowOperationInvalidError(`The step ${parent.name} is no router and has no branches.`);
  if (branchIndex === undefined)
    throw new FlowOperationInvalidError(`Which branch of ${parent.name} is meant must be said with branchIndex.`);
  assertHasBranch(parent, branchIndex);
  return {
    ...parent,
    children: parent.children.map((child, index) => (index === branchIndex ? followedBy(first, child) : child)),
  };
}

/** The chain of steps from `first`, with `rest` after its last step. */
function followedBy(first: FlowAction, rest: FlowAction | null | undefined): FlowAction {
  const chain: FlowAction[] = [];
  for (let step = first.nextAction; step; step = step.nextAction) chain.push(step);
  return linked(
    first,
    chain.reduceRight<FlowAction | undefined>((next, step) => linked(step, next), rest ?? undefined),
  );
}

function linked<T extends FlowStep>(step: T, next: FlowAction | undefined): T {
  const { nextAction: _nextAction, ...unlinked } = step;
  return (next ? { ...unlinked, nextAction: next } : unlinked) as T;
}

function withBody(loop: LoopAction, body: FlowAction | undefined): LoopAction {
  const { firstLoopAction: _firstLoopAction, ...emptied } = loop;
  return body ? { ...emptied, firstLoopAction: body } : emptied;
}

const unknownStep = (name: string): FlowOperationInvalidError =>
  new FlowOperationInvalidError(`There is no step ${JSON.stringify(name)} in the flow.`);

const notForTrigger = (name: string, done: string): FlowOperationInvalidError =>
  new FlowOperationInvalidError(`The step ${name} is the trigger, which cannot be ${done}.`);
