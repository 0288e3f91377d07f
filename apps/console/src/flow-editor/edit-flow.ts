import type { Step } from '../flow-picture/step';
import type { Operation } from './operation';
import { alone, bare, changeStep, findStep, insertStep, placeOf, removeSteps } from './step-tree';

// What an operation does to a flow, before the service has answered. The service decides: what it answers replaces what
// was foreseen here, so only what can be foreseen without its rules is.

/** What a person edits of a flow. */
export interface Definition {
  displayName: string;
  trigger: Step;
}

/** The flow as it will be after an operation. An operation that does not fit changes nothing. */
export function edited(flow: Definition, operation: Operation): Definition {
  if (operation.type === 'CHANGE_NAME') return { ...flow, displayName: operation.request.displayName };
  const trigger = editedSteps(flow.trigger, operation);
  return trigger === flow.trigger ? flow : { ...flow, trigger };
}

function editedSteps(trigger: Step, operation: Exclude<Operation, { type: 'CHANGE_NAME' }>): Step {
  const { type, request } = operation;
  switch (type) {
    case 'UPDATE_TRIGGER':
      return withLinksOf(trigger, request);
    case 'UPDATE_ACTION':
      return changeStep(trigger, request.name, (old) => withLinksOf(old, request));
    case 'ADD_ACTION':
      return findStep(trigger, request.action.name) ? trigger : insertStep(trigger, request, request.action);
    case 'DELETE_ACTION':
      return removeSteps(trigger, new Set(request.names));
    case 'MOVE_ACTION': {
      const moved = findStep(trigger, request.name);
      if (!moved || findStep(alone(moved), request.newParentStep)) return trigger;
      const { newParentStep: parentStep, stepLocationRelativeToNewParent, branchIndex } = request;
      const place = { parentStep, stepLocationRelativeToParent: stepLocationRelativeToNewParent, branchIndex };
      return insertStep(removeSteps(trigger, new Set([request.name])), place, alone(moved));
    }
    case 'SET_SKIP_ACTION':
      return request.names.reduce(
        (flow, name) => changeStep(flow, name, (step) => ({ ...step, skip: request.skip })),
        trigger,
      );
    case 'ADD_BRANCH': {
      const { stepName, branchIndex, branchName, conditions } = request;
      const branch = { branchType: 'CONDITION', branchName, conditions };
      return changeStep(trigger, stepName, (router) => withBranches(router, branchIndex, 0, branch));
    }
    case 'DELETE_BRANCH':
      return changeStep(trigger, request.stepName, (router) => withBranches(router, request.branchIndex, 1));
    case 'DUPLICATE_ACTION':
      return trigger; // the service names the copies
  }
}

const withLinksOf = ({ nextAction, firstLoopAction, children }: Step, step: Step): Step => ({
  ...step,
  nextAction,
  firstLoopAction,
  children,
});

function withBranches(router: Step, index: number, deleted: number, ...added: object[]): Step {
  const branches = branchesOf(router).toSpliced(index, deleted, ...added);
  const children = (router.children ?? []).toSpliced(index, deleted, ...added.map(() => null));
  return { ...router, settings: { ...router.settings, branches }, children };
}

export const branchesOf = ({ settings }: Step): object[] => (settings['branches'] ?? []) as object[];

/**
 * The operations that take an operation back, in their order. There are none for a copy, which has no name before the
 * service has answered.
 */
export function inverseOf({ displayName, trigger }: Definition, { type, request }: Operation): Operation[] {
  switch (type) {
    case 'CHANGE_NAME':
      return [{ type, request: { displayName } }];
    case 'UPDATE_TRIGGER':
      return [{ type, request: bare(trigger) }];
    case 'UPDATE_ACTION':
      return stepsNamed(trigger, [request.name]).map((old) => ({ type, request: bare(old) }));
    case 'ADD_ACTION':
      return [{ type: 'DELETE_ACTION', request: { names: [request.action.name] } }];
    case 'DELETE_ACTION':
      return stepsNamed(trigger, request.names).flatMap((step) => putBack(trigger, step));
    case 'MOVE_ACTION':
      return moveBack(trigger, request.name);
    case 'SET_SKIP_ACTION': {
      const names = stepsNamed(trigger, request.names)
        .filter(({ skip = false }) => skip !== request.skip)
        .map(({ name }) => name);
      return names.length === 0 ? [] : [{ type, request: { names, skip: !request.skip } }];
    }
    case 'ADD_BRANCH':
      return [{ type: 'DELETE_BRANCH', request: { stepName: request.stepName, branchIndex: request.branchIndex } }];
    case 'DELETE_BRANCH':
      return putBranchBack(trigger, request);
    case 'DUPLICATE_ACTION':
      return [];
  }
}

const stepsNamed = (trigger: Step, names: readonly string[]): Step[] =>
  names.map((name) => findStep(trigger, name)).filter((step) => step !== null);

function putBack(trigger: Step, step: Step): Operation[] {
  const place = placeOf(trigger, step.name);
  return place ? [{ type: 'ADD_ACTION', request: { ...place, action: alone(step) } }] : [];
}

function moveBack(trigger: Step, name: string): Operation[] {
  const place = placeOf(trigger, name);
  if (!place) return [];
  const { parentStep: newParentStep, stepLocationRelativeToParent: stepLocationRelativeToNewParent, ...rest } = place;
  return [{ type: 'MOVE_ACTION', request: { name, newParentStep, stepLocationRelativeToNewParent, ...rest } }];
}

function putBranchBack(
  trigger: Step,
  { stepName, branchIndex }: { stepName: string; branchIndex: number },
): Operation[] {
  const router = findStep(trigger, stepName);
  const branch = router && branchesOf(router)[branchIndex];
  if (!branch) return [];
  const { branchName = '', conditions = [] } = branch as { branchName?: string; conditions?: unknown[][] };
  const first = router.children?.[branchIndex];
  const added: Operation = { type: 'ADD_BRANCH', request: { stepName, branchIndex, branchName, conditions } };
  if (!first) return [added];
  const place = { parentStep: stepName, stepLocationRelativeToParent: 'INSIDE_BRANCH', branchIndex } as const;
  return [added, { type: 'ADD_ACTION', request: { ...place, action: first } }];
}

/** What a copy turned out to be: the operations that make the same copy again, and that take it back. */
export function copyMade(
  before: Step,
  after: Step,
  stepName: string,
): { forward: Operation[]; backward: Operation[] } | null {
  const copy = findStep(after, stepName)?.nextAction;
  if (!copy || findStep(before, copy.name)) return null;
  const place = { parentStep: stepName, stepLocationRelativeToParent: 'AFTER' } as const;
  return {
    forward: [{ type: 'ADD_ACTION', request: { ...place, action: alone(copy) } }],
    backward: [{ type: 'DELETE_ACTION', request: { names: [copy.name] } }],
  };
}
