import { METRICS, type Metrics } from '@millrace/domain';
import type { Pool } from 'pg';

/** What a pool tells of itself. */
type CountedPool = Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount'> & { options: { max?: number } };

/** Reports how much of the pool is in use. A pool that is not open yet has no connections. */
export function reportPool(metrics: Metrics, pool: string, find: () => CountedPool | null): void {
  metrics.report(METRICS.connections, () => {
    const { totalCount = 0, idleCount = 0 } = find() ?? {};
    return [
      { labels: { pool, state: 'busy' }, value: totalCount - idleCount },
      { labels: { pool, state: 'idle' }, value: idleCount },
    ];
  });
  metrics.report(METRICS.connectionsMost, () => [{ labels: { pool }, value: find()?.options.max ?? 0 }]);
  metrics.report(METRICS.connectionsAwaited, () => [{ labels: { pool }, value: find()?.waitingCount ?? 0 }]);
}
