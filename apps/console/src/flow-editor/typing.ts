import { useSyncExternalStore } from 'react';

// Whether somebody types what is no change of the flow yet, so that nobody is told that all is saved.

const typing = new Set<object>();
const listeners = new Set<() => void>();

/** Notes that a field has, or no longer has, what waits for a pause of the person. */
export function noteTyping(field: object, isWaiting: boolean): void {
  if (typing.has(field) === isWaiting) return;
  if (isWaiting) typing.add(field);
  else typing.delete(field);
  for (const listener of listeners) listener();
}

export const useIsTyping = (): boolean => useSyncExternalStore(subscribe, () => typing.size > 0);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
