import type { JsonText } from '@millrace/domain';
import type { PathKeys } from '@millrace/domain';

/** The variables that expressions can read, by their names. */
export interface Scope {
  find(name: string): ScopeEntry | undefined;
}

/**
 * A variable that expressions read. An empty path means the whole variable. The result is undefined for a missing part.
 */
export interface ScopeEntry {
  valueAt(keys: PathKeys): unknown;
  textAt(keys: PathKeys): JsonText | undefined;
}
