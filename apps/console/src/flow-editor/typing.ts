import { useSyncExternalStore } from 'react';

// What somebody types and what is no change of the flow yet. Nobody is told that all is saved while there is some, and
// it becomes a change at once when the page is left.

const typing = new Map<object, () => void>();
const listeners = new Set<() => void>();

/** Notes what makes a change of the text that waits in a field for a pause of the person; null when none waits any more. */
export function noteTyping(field: object, commit: (() => void) | null): void {
  const before = typing.size;
  if (commit) typing.set(field, commit);
  else typing.delete(field);
  if (typing.size !== before) for (const listener of listeners) listener();
}

export const isTyping = (): boolean => typing.size > 0;

/** Makes changes of all that waits. */
export function commitTyped(): void {
  for (const commit of [...typing.values()]) commit();
}

export const useIsTyping = (): boolean => useSyncExternalStore(subscribe, isTyping);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
