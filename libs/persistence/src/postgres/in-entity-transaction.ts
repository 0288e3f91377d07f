import type { DataSource, EntityManager } from 'typeorm';
import { repeatWhenTransient } from './in-transaction';

/**
 * Commits all that `work` does with entities, or nothing. `work` is called up to five times when the transaction fails
 * for a transient reason, for example a deadlock. Rejects with ServiceUnavailableError when the database is unavailable.
 */
export const inEntityTransaction = <T>(dataSource: DataSource, work: (tx: EntityManager) => Promise<T>): Promise<T> =>
  repeatWhenTransient(() => dataSource.transaction(work));
