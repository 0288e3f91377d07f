import { duplication } from './copy-steps';
import { definitionOf, fingerprintOf, type Definition } from './definition';
import { edited } from './edit-flow';
import type { SavedFlow } from './flow-requests';
import { inverseOf } from './inverse';
import type { KeptDraft } from './kept-draft';
import { updatedStep, type Operation } from './operation';
import type { Step } from '../flow-picture/step';

// The state of the editor, without React: what the service has, what it has not answered yet, and what can be undone.
//
// D1. Operations are sent one by one, in the order in which they were made, each with the tag of the answer before it.
// D2. What is shown is what the service has, with the waiting operations on it.
// D3. An operation leaves the queue only when it was answered, refused for itself, or given up by the person.
// D4. An undo is made of operations as well.
// D5. The history belongs to one state of the flow: it begins anew when the flow was changed by others.

const MOST_UNDONE = 500;

/** Something a person did, and how it is taken back. */
export interface Edit {
  id: number;
  forward: readonly Operation[];
  backward: readonly Operation[];
}

/** An operation that the service has not answered, and the edit that it does or takes back. */
export interface Waiting {
  operation: Operation;
  edit: number;
}

export interface Refusal {
  operation: Operation;
  error: unknown;
}

export type Trouble =
  /** Another person or key changed the flow less than a minute ago: by whom and until when, as far as that is known. */
  | { kind: 'in-use'; message: string; by: string | null; until: string | null }
  /** The flow was changed by others since it was read: operations wait for a decision. */
  | { kind: 'changed'; theirs: SavedFlow; base: Definition | null }
  /** There was no answer. The same is sent again. */
  | { kind: 'away'; message: string }
  /** Nothing can be saved any more, for example because the flow was deleted. What waits stays on the page. */
  | { kind: 'stopped'; error: unknown }
  /** Operations were refused for themselves, and are no part of what is shown. */
  | { kind: 'refused'; refusals: readonly Refusal[] };

export interface Draft {
  saved: SavedFlow;
  /** What is shown: the flow of the service with the waiting operations on it. */
  shown: Definition;
  /** The oldest first. */
  queue: readonly Waiting[];
  /** Whether the first of the queue is on its way. */
  isSending: boolean;
  undo: readonly Edit[];
  redo: readonly Edit[];
  /** The id of the next edit. */
  nextId: number;
  trouble: Trouble | null;
  /** Whether there was a history that belonged to another state of the flow. */
  isHistoryLost: boolean;
}

export type DraftEvent =
  | { kind: 'edit'; operations: readonly Operation[] }
  | { kind: 'undo' }
  | { kind: 'redo' }
  | { kind: 'send' }
  | { kind: 'answered'; saved: SavedFlow }
  | { kind: 'failed'; failure: Failure }
  /** What waits goes on top of what the service has now. */
  | { kind: 'put-on-top'; saved: SavedFlow }
  /** What waits is given up for what the service has now. */
  | { kind: 'give-up'; saved: SavedFlow }
  /** The flow was changed here by something that is not edited, such as its publication. */
  | { kind: 'replaced'; saved: SavedFlow }
  /** The flow was changed elsewhere while nothing waited here. */
  | { kind: 'followed'; saved: SavedFlow }
  | { kind: 'dismiss' };

/** What became of the first of the queue. */
export type Failure = Exclude<Trouble, { kind: 'refused' }> | { kind: 'refused'; error: unknown };

const aDraft = (saved: SavedFlow): Draft => ({
  saved,
  shown: definitionOf(saved),
  queue: [],
  isSending: false,
  undo: [],
  redo: [],
  nextId: 1,
  trouble: null,
  isHistoryLost: false,
});

/** Begins with what the service has, and with what an earlier visit of this page left. */
export function openDraft(saved: SavedFlow, kept: KeptDraft | null = null): Draft {
  const draft = aDraft(saved);
  if (!kept) return draft;
  const { etag, queue, expected, undo, redo, nextId, base } = kept;
  const left: Draft = { ...draft, queue, shown: madeOf(draft.shown, { queue }), undo, redo, nextId };
  if (etag === saved.etag) return left;
  // The page was left before the first operation was answered, and it was done.
  if (expected !== null && expected === fingerprintOf(definitionOf(saved))) return answered(left, saved);
  if (queue.length > 0) return { ...left, trouble: { kind: 'changed', theirs: saved, base } };
  return { ...draft, isHistoryLost: undo.length + redo.length > 0 };
}

/** A flow with the waiting operations on it. */
export const madeOf = (flow: Definition, { queue }: Pick<Draft, 'queue'>): Definition =>
  queue.reduce((before, { operation }) => edited(before, operation), flow);

/** The fingerprint of the flow when the first of the queue is done; null when there is none. */
export function expectedOf({ saved, queue: [first] }: Draft): string | null {
  return first ? fingerprintOf(edited(definitionOf(saved), first.operation)) : null;
}

/** The step with what a person typed, also when the service refused it: only a person throws away what was typed. */
export function withTyped(step: Step, { trouble }: Draft): Step {
  const refusals = trouble?.kind === 'refused' ? trouble.refusals : [];
  const refused = refusals.map(({ operation }) => updatedStep(operation)).findLast((each) => each?.name === step.name);
  return refused ? { ...step, displayName: refused.displayName, settings: refused.settings } : step;
}

/** Whether the flow can be changed now. Otherwise somebody must decide, or time must pass. */
export const isEditable = ({ trouble }: Draft): boolean =>
  trouble === null || trouble.kind === 'refused' || trouble.kind === 'away';

/** Whether the first of the queue can be sent. */
export const isReady = ({ queue, isSending, trouble }: Draft): boolean =>
  queue.length > 0 && !isSending && (trouble === null || trouble.kind === 'refused');

export const canUndo = (draft: Draft): boolean => isEditable(draft) && draft.undo.length > 0;
export const canRedo = (draft: Draft): boolean => isEditable(draft) && draft.redo.length > 0;

export function reduce(draft: Draft, event: DraftEvent): Draft {
  switch (event.kind) {
    case 'edit':
      return withEdit(draft, event.operations);
    case 'undo':
      return undone(draft);
    case 'redo':
      return redone(draft);
    case 'send':
      return { ...draft, isSending: true };
    case 'answered':
      return answered(draft, event.saved);
    case 'failed':
      return failed(draft, event.failure);
    case 'put-on-top':
      return onTopOf(draft, event.saved);
    case 'give-up':
      return aDraft(event.saved);
    case 'replaced':
      return { ...draft, saved: event.saved, shown: madeOf(definitionOf(event.saved), draft) };
    case 'followed':
      return { ...aDraft(event.saved), isHistoryLost: draft.undo.length + draft.redo.length > 0 };
    case 'dismiss':
      return { ...draft, trouble: null, isHistoryLost: false };
  }
}

function withEdit(draft: Draft, wanted: readonly Operation[]): Draft {
  const operations = withCopiesNamed(draft.shown, wanted);
  const [first] = operations;
  if (!first) return draft;
  const next = { ...draft, redo: [], trouble: draft.trouble?.kind === 'refused' ? null : draft.trouble };
  if (operations.length === 1 && replacesLast(draft, first)) return withLast(next, first);
  const made: Edit = { id: draft.nextId, forward: operations, backward: inverseOf(draft.shown, operations) };
  return {
    ...queued(next, operations, made.id),
    undo: [...draft.undo, made].slice(-MOST_UNDONE),
    nextId: made.id + 1,
    isHistoryLost: false,
  };
}

/** A copy is an added step here, whose name must be free after what comes before it. */
function withCopiesNamed(before: Definition, wanted: readonly Operation[]): Operation[] {
  let flow = before;
  return wanted.flatMap((operation) => {
    const own =
      operation.type === 'DUPLICATE_ACTION' ? duplication(flow.trigger, operation.request.stepName) : [operation];
    flow = own.reduce(edited, flow);
    return own;
  });
}

const queued = (draft: Draft, operations: readonly Operation[], edit: number): Draft => ({
  ...draft,
  shown: operations.reduce(edited, draft.shown),
  queue: [...draft.queue, ...operations.map((operation) => ({ operation, edit }))],
});

/** Whether an operation says again, of the same step, what the last edit says that was not sent yet. */
function replacesLast({ queue, isSending, undo }: Draft, operation: Operation): boolean {
  const last = queue.at(-1);
  const edit = undo.at(-1);
  if (!last || queue.length <= (isSending ? 1 : 0) || last.edit !== edit?.id || edit.forward.length > 1) return false;
  const step = updatedStep(operation);
  return step !== null && operation.type === last.operation.type && step.name === updatedStep(last.operation)?.name;
}

function withLast(draft: Draft, operation: Operation): Draft {
  const edit = draft.undo.at(-1);
  if (!edit) return draft;
  return {
    ...draft,
    shown: edited(draft.shown, operation),
    queue: [...draft.queue.slice(0, -1), { operation, edit: edit.id }],
    undo: [...draft.undo.slice(0, -1), { ...edit, forward: [operation] }],
  };
}

function undone(draft: Draft): Draft {
  const edit = draft.undo.at(-1);
  if (!edit || !canUndo(draft)) return draft;
  return { ...queued(draft, edit.backward, edit.id), undo: draft.undo.slice(0, -1), redo: [...draft.redo, edit] };
}

function redone(draft: Draft): Draft {
  const edit = draft.redo.at(-1);
  if (!edit || !canRedo(draft)) return draft;
  return { ...queued(draft, edit.forward, edit.id), undo: [...draft.undo, edit], redo: draft.redo.slice(0, -1) };
}

function answered(draft: Draft, saved: SavedFlow): Draft {
  const trouble = draft.trouble?.kind === 'refused' ? draft.trouble : null;
  const queue = draft.queue.slice(1);
  return { ...draft, saved, shown: madeOf(definitionOf(saved), { queue }), queue, isSending: false, trouble };
}

function failed(draft: Draft, failure: Failure): Draft {
  const [first] = draft.queue;
  if (failure.kind !== 'refused' || !first) return { ...draft, isSending: false, trouble: failure as Trouble };
  const before = draft.trouble?.kind === 'refused' ? draft.trouble.refusals : [];
  const refusals = [...before, { operation: first.operation, error: failure.error }];
  // What belongs to the same edit makes no sense without it.
  const isOther = ({ id }: Edit) => id !== first.edit;
  const queue = draft.queue.slice(1).filter(({ edit }) => edit !== first.edit);
  return {
    ...draft,
    isSending: false,
    shown: madeOf(definitionOf(draft.saved), { queue }),
    queue,
    undo: draft.undo.filter(isOther),
    redo: draft.redo.filter(isOther),
    trouble: { kind: 'refused', refusals },
  };
}

/** What waits is made anew on another state of the flow: it is undone to that state, and no further. */
function onTopOf({ queue, nextId }: Draft, saved: SavedFlow): Draft {
  const draft: Draft = { ...aDraft(saved), queue, nextId };
  let flow = definitionOf(saved);
  const undo = [...new Set(queue.map(({ edit }) => edit))].map((id): Edit => {
    const forward = queue.filter(({ edit }) => edit === id).map(({ operation }) => operation);
    const backward = inverseOf(flow, forward);
    flow = forward.reduce(edited, flow);
    return { id, forward, backward };
  });
  return { ...draft, shown: flow, undo };
}
