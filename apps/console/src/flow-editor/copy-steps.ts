import { copySteps as copyOfSteps, copyTitle, type FlowAction } from '@millrace/domain/browser';
import { placeAfter, type Step } from '../flow-picture/step';
import type { Operation } from './operation';
import { alone, findStep, namesOf } from './step-tree';

/**
 * A copy of a step, what is inside it and what comes after it, under names that are not taken. Expressions that name a
 * copied step name its copy.
 */
export const copySteps = (first: Step, taken: ReadonlySet<string>): Step => copyOfSteps(first as FlowAction, taken);

/** A copy as an added step, which is seen and can be undone at once: the service would choose the same names. */
export function duplication(trigger: Step, stepName: string): Operation[] {
  const step = findStep(trigger, stepName);
  if (!step || step === trigger) return [];
  const copy = copySteps(alone(step), namesOf(trigger));
  const action = { ...copy, displayName: copyTitle(step.displayName) };
  return [{ type: 'ADD_ACTION', request: { ...placeAfter(step), action } }];
}
