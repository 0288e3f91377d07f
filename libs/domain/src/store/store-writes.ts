import type { References } from '../connections/value-references';
import type { StoreScope } from './store-entries';

/** A change of the store that waits for its transaction. The value null removes the entry. */
export interface StoreWrite {
  scope: Extract<StoreScope, 'PROJECT' | 'FLOW'>;
  key: string;
  value: unknown;
  /** The values of connections to which the value refers. */
  references?: References;
}

/**
 * The values that earlier hooks of the same operation have written and that are not in the database yet. A hook sees
 * them, and adds its own when it succeeds.
 */
export type PendingWrites = readonly StoreWrite[];

/** The writes after `later` were added to `earlier`: the last write of each entry. */
export function mergeWrites(earlier: PendingWrites, later: PendingWrites): StoreWrite[] {
  const last = new Map<string, StoreWrite>();
  for (const write of [...earlier, ...later]) last.set(`${write.scope}/${write.key}`, write);
  return [...last.values()];
}
