import type { Operation } from './operation';

// What the service has not answered is kept while the tab is open, so that a reload or a new sign-in does not lose it.

const keyOf = (flowId: string): string => `millrace.unsaved.${flowId}`;

export function keepUnsaved(flowId: string, operations: readonly Operation[]): void {
  try {
    if (operations.length === 0) sessionStorage.removeItem(keyOf(flowId));
    else sessionStorage.setItem(keyOf(flowId), JSON.stringify(operations));
  } catch {
    // The browser keeps nothing, or this is too much for it: the operations are on the page until it is left.
  }
}

export function leftUnsaved(flowId: string): Operation[] {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(flowId)) ?? '[]') as Operation[];
  } catch {
    return [];
  }
}
