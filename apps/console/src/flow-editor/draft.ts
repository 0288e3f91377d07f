import { copyMade, edited, inverseOf, type Definition } from './edit-flow';
import { updatedStep, type Operation } from './operation';
import type { SavedFlow } from './flow-requests';
import type { Step } from '../flow-picture/step';

// The state of the editor, without React: what the service has, what it has not answered yet, and what can be undone.
//
// D1. Operations are sent one by one, in the order in which they were made, each with the tag of the answer before it.
// D2. What is shown is what the service has, with the waiting operations on it.
// D3. An operation leaves the queue only when it was answered, refused for itself, or given up by the person.
// D4. An undo is made of operations as well.

const MOST_UNDONE = 500;

/** Something a person did, and how it is taken back. `backward` is empty until it is known. */
export interface Edit {
  forward: Operation[];
  backward: Operation[];
}

export type Trouble =
  /** Another person or key changed the flow less than a minute ago. */
  | { kind: 'in-use'; message: string; until: string | null }
  /** The flow was changed since it was read: operations wait for a decision. */
  | { kind: 'changed'; message: string }
  /** Operations of an earlier visit of this page were not saved. */
  | { kind: 'left' }
  /** There was no answer. The same is sent again. */
  | { kind: 'away'; message: string }
  /** The operation was refused for itself, and is no part of what is shown. */
  | { kind: 'refused'; error: unknown; operation: Operation };

export interface Draft {
  saved: SavedFlow;
  /** Operations that the service has not answered, the oldest first. */
  queue: readonly Operation[];
  /** Whether the first of the queue is on its way. */
  isSending: boolean;
  undo: readonly Edit[];
  redo: readonly Edit[];
  trouble: Trouble | null;
}

export type DraftEvent =
  | { kind: 'edit'; operation: Operation }
  | { kind: 'undo' }
  | { kind: 'redo' }
  | { kind: 'send' }
  | { kind: 'answered'; saved: SavedFlow }
  | { kind: 'failed'; trouble: Trouble }
  /** What waits is sent, onto what the service has now. */
  | { kind: 'resume'; saved?: SavedFlow }
  /** What waits is given up for what the service has now. */
  | { kind: 'give-up'; saved: SavedFlow }
  /** The flow was changed here by something that is not edited, such as its publication. */
  | { kind: 'replaced'; saved: SavedFlow }
  | { kind: 'dismiss' };

export const openDraft = (saved: SavedFlow, left: readonly Operation[] = []): Draft => ({
  saved,
  queue: left,
  isSending: false,
  undo: [],
  redo: [],
  trouble: left.length > 0 ? { kind: 'left' } : null,
});

/** What is shown: the flow of the service with the waiting operations on it. */
export const shown = ({ saved, queue }: Draft): Definition => queue.reduce(edited, definitionOf(saved));

const definitionOf = ({ flow: { version } }: SavedFlow): Definition => ({
  displayName: version.displayName,
  trigger: version.trigger as Step,
});

/** The step with what a person typed, also when the service refused it: only a person throws away what was typed. */
export function withTyped(step: Step, { trouble }: Draft): Step {
  const refused = trouble?.kind === 'refused' ? updatedStep(trouble.operation) : null;
  if (refused?.name !== step.name) return step;
  return { ...step, displayName: refused.displayName, settings: refused.settings };
}

/** Whether the flow can be changed now. Otherwise somebody must decide, or time must pass. */
export const isEditable = ({ trouble }: Draft): boolean =>
  trouble === null || trouble.kind === 'refused' || trouble.kind === 'away';

/** Whether the first of the queue can be sent. */
export const isReady = ({ queue, isSending, trouble }: Draft): boolean =>
  queue.length > 0 && !isSending && (trouble === null || trouble.kind === 'refused');

export const canUndo = (draft: Draft): boolean => isEditable(draft) && (draft.undo.at(-1)?.backward.length ?? 0) > 0;
export const canRedo = (draft: Draft): boolean => isEditable(draft) && draft.redo.length > 0;

export function reduce(draft: Draft, event: DraftEvent): Draft {
  switch (event.kind) {
    case 'edit':
      return withEdit(draft, event.operation);
    case 'undo':
      return undone(draft);
    case 'redo':
      return redone(draft);
    case 'send':
      return { ...draft, isSending: true };
    case 'answered':
      return answered(draft, event.saved);
    case 'failed':
      return failed(draft, event.trouble);
    case 'resume':
      return { ...draft, saved: event.saved ?? draft.saved, isSending: false, trouble: null };
    case 'give-up':
      return openDraft(event.saved);
    case 'replaced':
      return { ...draft, saved: event.saved };
    case 'dismiss':
      return { ...draft, trouble: null };
  }
}

function withEdit(draft: Draft, operation: Operation): Draft {
  const trouble = draft.trouble?.kind === 'refused' ? null : draft.trouble;
  const last = draft.queue.at(-1);
  const isWaiting = draft.queue.length > (draft.isSending ? 1 : 0);
  const edit = draft.undo.at(-1);
  if (last && edit && isWaiting && edit.forward[0] === last && replaces(operation, last)) {
    const undo = [...draft.undo.slice(0, -1), { ...edit, forward: [operation] }];
    return { ...draft, queue: [...draft.queue.slice(0, -1), operation], undo, redo: [], trouble };
  }
  const made: Edit = { forward: [operation], backward: inverseOf(shown(draft), operation) };
  const undo = [...draft.undo, made].slice(-MOST_UNDONE);
  return { ...draft, queue: [...draft.queue, operation], undo, redo: [], trouble };
}

/** Whether an operation says again, of the same step, what one says that was not sent yet. */
const replaces = (operation: Operation, waiting: Operation): boolean =>
  operation.type === waiting.type &&
  updatedStep(operation) !== null &&
  updatedStep(operation)?.name === updatedStep(waiting)?.name;

function undone(draft: Draft): Draft {
  const edit = draft.undo.at(-1);
  if (!edit || !canUndo(draft)) return draft;
  const queue = [...draft.queue, ...edit.backward];
  return { ...draft, queue, undo: draft.undo.slice(0, -1), redo: [...draft.redo, edit] };
}

function redone(draft: Draft): Draft {
  const edit = draft.redo.at(-1);
  if (!edit || !canRedo(draft)) return draft;
  return {
    ...draft,
    queue: [...draft.queue, ...edit.forward],
    undo: [...draft.undo, edit],
    redo: draft.redo.slice(0, -1),
  };
}

function answered(draft: Draft, saved: SavedFlow): Draft {
  const [sent, ...queue] = draft.queue;
  const trouble = draft.trouble?.kind === 'refused' ? draft.trouble : null;
  const next: Draft = { ...draft, saved, queue, isSending: false, trouble };
  if (sent?.type !== 'DUPLICATE_ACTION') return next;
  const before = definitionOf(draft.saved).trigger;
  const made = copyMade(before, definitionOf(saved).trigger, sent.request.stepName);
  const undo = draft.undo.flatMap((edit) => (edit.forward[0] === sent ? (made ?? []) : edit));
  return { ...next, undo };
}

function failed(draft: Draft, trouble: Trouble): Draft {
  const next: Draft = { ...draft, isSending: false, trouble };
  if (trouble.kind !== 'refused') return next;
  const isOther = ({ forward, backward }: Edit) =>
    !forward.includes(trouble.operation) && !backward.includes(trouble.operation);
  return { ...next, queue: draft.queue.slice(1), undo: draft.undo.filter(isOther), redo: draft.redo.filter(isOther) };
}
