import { ServiceUnavailableError } from '@millrace/domain';
import { isStatementTimeout, nameDatabaseError } from '@millrace/persistence';
import type { StoreFailure } from '@millrace/runner';

/** Says what a failed attempt tells about PostgreSQL; null when its error is about something else. */
export function storeFailure(error: unknown): StoreFailure | null {
  if (!(nameDatabaseError(error) instanceof ServiceUnavailableError)) return null;
  return isStatementTimeout(error) ? 'tooSlow' : 'away';
}
