import type { JsonText } from '@millrace/domain';
import type { PathKeys } from './path';

/** The variables that expressions see, by their names. */
export interface Scope {
  find(name: string): ScopeEntry | undefined;
}

/** A variable that expressions read: the whole of it, or a part by its path. Undefined means that there is no such part. */
export interface ScopeEntry {
  valueAt(keys: PathKeys): unknown;
  textAt(keys: PathKeys): JsonText | undefined;
}
