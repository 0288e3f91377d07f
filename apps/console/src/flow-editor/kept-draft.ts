import { definitionOf, type Definition } from './definition';
import { expectedOf, type Draft, type Edit, type Waiting } from './draft';

// What is kept of a draft while the tab is open, so that a reload or a new sign-in loses neither what the service has not
// answered nor what can be undone. Both belong to one person, and to the state of the flow with one tag.

const PREFIX = 'millrace.draft.';
/** Browsers keep about five million for all pages together. */
const MOST_CHARACTERS = 2_000_000;

export interface KeptDraft extends Pick<Draft, 'queue' | 'undo' | 'redo' | 'nextId'> {
  etag: string;
  /** The fingerprint of the flow when the first of the queue is done, which may be so since the page was left. */
  expected: string | null;
  /** The flow for which the queue was made, while a person has to decide about it. */
  base: Definition | null;
}

export const keyOf = (personId: string, flowId: string): string => `${PREFIX}${personId}.${flowId}`;

interface Keeping {
  storage?: Storage;
  /** Whether the page is being left, so that it may not see the answer to what is on its way. */
  isLeft?: boolean;
}

/** Keeps what is new of a draft. What can be undone is left out, the oldest first, where it would be too much. */
export function keepDraft(key: string, draft: Draft, { storage = sessionStorage, isLeft = false }: Keeping = {}): void {
  // The answer to the first may never be seen, or was lost already.
  const expected = isLeft && (draft.isSending || draft.trouble?.kind === 'away') ? expectedOf(draft) : null;
  for (let room = MOST_CHARACTERS; room > 1_000; room /= 2) {
    try {
      const text = textOf(draft, expected, room);
      if (text === null) storage.removeItem(key);
      else storage.setItem(key, text);
      return;
    } catch {
      // There is no room for so much. What is kept of flows without unsaved changes goes first.
      forgetOthers(key, storage);
    }
  }
}

export function keptDraft(key: string, storage: Storage = sessionStorage): KeptDraft | null {
  try {
    return JSON.parse(storage.getItem(key) ?? 'null') as KeptDraft | null;
  } catch {
    return null;
  }
}

function textOf(draft: Draft, expected: string | null, room: number): string | null {
  const { saved, queue, undo, redo, nextId, trouble } = draft;
  if (queue.length + undo.length + redo.length === 0) return null;
  const base = trouble === null || trouble.kind === 'refused' ? null : definitionOf(saved);
  const rest = JSON.stringify({ etag: saved.etag, expected, nextId, base }).slice(0, -1);
  const waiting = queue.map(textOfOne).join(',');
  const left = room - rest.length - waiting.length;
  const newest = lastThatFit(undo, left / (redo.length > 0 ? 2 : 1));
  const next = lastThatFit(redo, left - newest.length);
  return `${rest},"queue":[${waiting}],"undo":[${newest}],"redo":[${next}]}`;
}

/** The last edits, as JSON without the brackets of their list. */
function lastThatFit(edits: readonly Edit[], room: number): string {
  const fitting: string[] = [];
  let length = 0;
  for (let index = edits.length - 1; index >= 0; index--) {
    const text = textOfOne(edits[index] as Edit);
    length += text.length + 1;
    if (length > room) break;
    fitting.push(text);
  }
  return fitting.reverse().join(',');
}

/** None of them ever changes, and each is written again with every later one. */
const texts = new WeakMap<Edit | Waiting, string>();

function textOfOne(one: Edit | Waiting): string {
  let text = texts.get(one);
  if (text === undefined) texts.set(one, (text = JSON.stringify(one)));
  return text;
}

function forgetOthers(key: string, storage: Storage): void {
  const others = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
  for (const other of others)
    if (other.startsWith(PREFIX) && other !== key && keptDraft(other, storage)?.queue.length === 0)
      storage.removeItem(other);
}
