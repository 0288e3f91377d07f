import { chainOf, type Step } from '../flow-picture/step';
import type { Definition, Note } from './definition';
import type { MoveRequest, Operation } from './operation';
import { alone, changeStep, findStep, insertStep, removeSteps } from './step-tree';

// What an operation does to a flow, before the service has answered. The service decides: what it answers replaces what
// was foreseen here, so only what can be foreseen without its rules is.

/** The flow as it will be after an operation. An operation that does not fit changes nothing. */
export function edited(flow: Definition, operation: Operation): Definition {
  switch (operation.type) {
    case 'IMPORT_FLOW': {
      const { displayName, trigger, notes } = operation.request;
      return { ...flow, displayName, trigger, notes: notes as readonly Note[] };
    }
    case 'CHANGE_NAME':
      return { ...flow, displayName: operation.request.displayName };
    case 'ADD_NOTE':
    case 'UPDATE_NOTE':
    case 'DELETE_NOTE':
      return { ...flow, notes: editedNotes(flow.notes, operation) };
    default: {
      const trigger = editedSteps(flow.trigger, operation);
      return trigger === flow.trigger ? flow : { ...flow, trigger };
    }
  }
}

type NoteOperation = Extract<Operation, { type: 'ADD_NOTE' | 'UPDATE_NOTE' | 'DELETE_NOTE' }>;

function editedNotes(notes: readonly Note[], { type, request }: NoteOperation): readonly Note[] {
  switch (type) {
    case 'ADD_NOTE': {
      const { index = notes.length, ...note } = request;
      return notes.some(({ id }) => id === note.id) ? notes : notes.toSpliced(index, 0, note);
    }
    case 'UPDATE_NOTE':
      return notes.map((note) => (note.id === request.id ? { ...note, ...request } : note));
    case 'DELETE_NOTE':
      return notes.filter(({ id }) => id !== request.id);
  }
}

function editedSteps(
  trigger: Step,
  operation: Exclude<Operation, NoteOperation | { type: 'CHANGE_NAME' | 'IMPORT_FLOW' }>,
): Step {
  const { type, request } = operation;
  switch (type) {
    case 'UPDATE_TRIGGER':
      return withLinksOf(trigger, request);
    case 'UPDATE_ACTION':
      return changeStep(trigger, request.name, (old) => withLinksOf(old, request));
    case 'ADD_ACTION': {
      const isTaken = Array.from(chainOf(request.action)).some(({ name }) => findStep(trigger, name));
      return isTaken ? trigger : insertStep(trigger, request, request.action);
    }
    case 'DELETE_ACTION':
      return removeSteps(trigger, new Set(request.names));
    case 'MOVE_ACTION':
      return withMovedStep(trigger, request);
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
    case 'MOVE_BRANCH':
      return changeStep(trigger, request.stepName, (router) =>
        withMovedBranch(router, request.sourceBranchIndex, request.targetBranchIndex),
      );
    case 'DUPLICATE_ACTION':
      return trigger; // the draft makes it an added step, see copy-steps.ts
  }
}

function withMovedStep(trigger: Step, request: MoveRequest): Step {
  const { name, newParentStep: parentStep, stepLocationRelativeToNewParent, branchIndex } = request;
  const moved = findStep(trigger, name);
  if (!moved || findStep(alone(moved), parentStep)) return trigger;
  const place = { parentStep, stepLocationRelativeToParent: stepLocationRelativeToNewParent, branchIndex };
  return insertStep(removeSteps(trigger, new Set([name])), place, alone(moved));
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

function withMovedBranch(router: Step, from: number, to: number): Step {
  const moved = <T>(list: readonly T[]): T[] => list.toSpliced(from, 1).toSpliced(to, 0, ...list.slice(from, from + 1));
  const children = moved(router.children ?? []);
  return { ...router, settings: { ...router.settings, branches: moved(branchesOf(router)) }, children };
}

export const branchesOf = ({ settings }: Step): { branchName?: string }[] =>
  (settings['branches'] ?? []) as { branchName?: string }[];
