import { bodiesOf, placeAfter, type Place, type Step } from '../flow-picture/step';
import { parentsOf } from '../flow-picture/step-walk';
import type { Operation } from './operation';
import { fitting } from './pasted-steps';
import { findStep, outermostSteps, placeOf } from './step-tree';

// What is done with steps by keys and menus, as operations. An empty list is nothing to do.

export function removal(trigger: Step, names: ReadonlySet<string>): Operation[] {
  const removed = outermostSteps(trigger, names).map(({ name }) => name);
  return removed.length > 0 ? [{ type: 'DELETE_ACTION', request: { names: removed } }] : [];
}

/** Copies each after itself. */
export const duplicating = (trigger: Step, names: ReadonlySet<string>): Operation[] =>
  outermostSteps(trigger, names).map(({ name }) => ({ type: 'DUPLICATE_ACTION', request: { stepName: name } }));

/** Skips them, or none of them any more when all are skipped. */
export function skipping(trigger: Step, names: ReadonlySet<string>): Operation[] {
  const steps = outermostSteps(trigger, names);
  const skip = steps.some((step) => !step.skip);
  const changed = steps.filter((step) => (step.skip ?? false) !== skip).map(({ name }) => name);
  return changed.length > 0 ? [{ type: 'SET_SKIP_ACTION', request: { names: changed, skip } }] : [];
}

export const pasting = (trigger: Step, place: Place, first: Step): Operation[] => [
  { type: 'ADD_ACTION', request: { ...place, action: fitting(first, trigger) } },
];

export function moving(trigger: Step, name: string, place: Place): Operation[] {
  const { parentStep: newParentStep, stepLocationRelativeToParent: stepLocationRelativeToNewParent, ...rest } = place;
  if (!findStep(trigger, name)) return [];
  return [{ type: 'MOVE_ACTION', request: { name, newParentStep, stepLocationRelativeToNewParent, ...rest } }];
}

/** Moves a step before the one before it, and out of a body in front of the loop or router around it. */
export function movingUp(trigger: Step, name: string): Operation[] {
  const place = placeOf(trigger, name);
  if (!place || place.parentStep === trigger.name) return [];
  const before = placeOf(trigger, place.parentStep);
  return before ? moving(trigger, name, before) : [];
}

/** Moves a step behind the one after it, and out of a body behind the loop or router around it. */
export function movingDown(trigger: Step, name: string): Operation[] {
  const next = findStep(trigger, name)?.nextAction ?? parentsOf(trigger, name)[0];
  return next ? moving(trigger, name, placeAfter(next)) : [];
}

/** Where a step goes that is pasted or added at a row of the outline: after a step, or in a branch. */
export function placeAtRow(trigger: Step, row: string): { place: Place; after: string } | null {
  const [name = '', index] = row.split('/');
  const step = findStep(trigger, name);
  if (!step) return null;
  const body = index === undefined ? undefined : bodiesOf(step)[Number(index)];
  return body
    ? { place: body.place, after: body.branchName ?? step.displayName }
    : { place: placeAfter(step), after: step.displayName };
}

/** The step that has the attention after some are gone: the next one, or the one before. */
export function besideRemoved(trigger: Step, names: ReadonlySet<string>): string | null {
  const [first] = outermostSteps(trigger, names);
  const last = outermostSteps(trigger, names).at(-1);
  const next = last?.nextAction;
  if (next && !names.has(next.name)) return next.name;
  return first ? (placeOf(trigger, first.name)?.parentStep ?? null) : null;
}
