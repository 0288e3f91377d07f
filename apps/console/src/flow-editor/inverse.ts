import { chainOf, type Step } from '../flow-picture/step';
import type { Definition, Note } from './definition';
import { branchesOf, edited } from './edit-flow';
import type { NoteRequest, Operation } from './operation';
import { alone, bare, findStep, outermostSteps, placeOf } from './step-tree';

/**
 * The operations that take operations back, in their order. Afterwards the flow is what it was to the last member: also
 * `skip: false` and no `skip` at all are two things.
 */
export function inverseOf(flow: Definition, operations: readonly Operation[]): Operation[] {
  const inverses: Operation[][] = [];
  let before = flow;
  for (const operation of operations) {
    inverses.unshift(inverseOfOne(before, operation));
    before = edited(before, operation);
  }
  return inverses.flat();
}

function inverseOfOne({ displayName, trigger, notes }: Definition, operation: Operation): Operation[] {
  const { type, request } = operation;
  switch (type) {
    case 'IMPORT_FLOW':
      return [{ type, request: { ...request, displayName, trigger, notes } }];
    case 'CHANGE_NAME':
      return [{ type, request: { displayName } }];
    case 'UPDATE_TRIGGER':
      return [{ type, request: bare(trigger) }];
    case 'UPDATE_ACTION':
      return stepsNamed(trigger, [request.name]).map((old) => ({ type, request: bare(old) }));
    case 'ADD_ACTION':
      return [{ type: 'DELETE_ACTION', request: { names: Array.from(chainOf(request.action), ({ name }) => name) } }];
    case 'DELETE_ACTION':
      return outermostSteps(trigger, new Set(request.names)).flatMap((step) => putBack(trigger, step));
    case 'MOVE_ACTION':
      return moveBack(trigger, request.name);
    case 'SET_SKIP_ACTION':
      return unskip(stepsNamed(trigger, request.names), request.skip);
    case 'ADD_BRANCH':
      return [{ type: 'DELETE_BRANCH', request: { stepName: request.stepName, branchIndex: request.branchIndex } }];
    case 'DELETE_BRANCH':
      return putBranchBack(trigger, request);
    case 'MOVE_BRANCH': {
      const { stepName, sourceBranchIndex, targetBranchIndex } = request;
      const back = { stepName, sourceBranchIndex: targetBranchIndex, targetBranchIndex: sourceBranchIndex };
      return [{ type, request: back }];
    }
    case 'ADD_NOTE':
      return [{ type: 'DELETE_NOTE', request: { id: request.id } }];
    case 'UPDATE_NOTE':
      return noteAsBefore(notes, request);
    case 'DELETE_NOTE':
      return addNoteAgain(notes, request.id);
    case 'DUPLICATE_ACTION':
      return []; // the draft makes it an added step
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

/** A step that has no `skip` gets it, once it is skipped, and loses it only when it is written anew. */
function unskip(steps: readonly Step[], skip: boolean): Operation[] {
  const changed = steps.filter((step) => step.skip === !skip).map(({ name }) => name);
  return [
    ...(changed.length > 0 ? [{ type: 'SET_SKIP_ACTION', request: { names: changed, skip: !skip } } as const] : []),
    ...steps
      .filter((step) => step.skip === undefined)
      .map((step): Operation => ({ type: 'UPDATE_ACTION', request: bare(step) })),
  ];
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

/** Gives a note its former looks. What it did not have can only be taken by making the note anew. */
function noteAsBefore(notes: readonly Note[], changes: Partial<NoteRequest> & { id: string }): Operation[] {
  const old = notes.find(({ id }) => id === changes.id);
  if (!old) return [];
  const members = Object.keys(changes) as (keyof NoteRequest)[];
  if (members.every((member) => old[member] !== undefined))
    return [{ type: 'UPDATE_NOTE', request: { ...partOf(old, members), id: old.id } }];
  return [{ type: 'DELETE_NOTE', request: { id: old.id } }, ...addNoteAgain(notes, old.id)];
}

function addNoteAgain(notes: readonly Note[], noteId: string): Operation[] {
  const index = notes.findIndex(({ id }) => id === noteId);
  const note = notes[index];
  if (!note) return [];
  const { id, content } = note;
  return [{ type: 'ADD_NOTE', request: { id, content, ...partOf(note, ['color', 'position', 'size']), index } }];
}

const partOf = (note: Note, members: readonly (keyof NoteRequest)[]): Partial<NoteRequest> =>
  Object.fromEntries(members.filter((member) => note[member] !== undefined).map((member) => [member, note[member]]));
