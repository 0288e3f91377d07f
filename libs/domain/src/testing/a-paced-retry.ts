import type { PacedRetry, RetryUnderWay } from '../paced-retries/paced-retry';
import { anId } from './an-id';

/** A paced retry that was just made. */
export const aPacedRetry = (more: Partial<PacedRetry> = {}): PacedRetry => {
  const projectId = more.projectId ?? '0199f000-0000-7000-8000-000000000004';
  return {
    id: anId(),
    projectId,
    status: 'RUNNING',
    filter: { projectId, status: ['FAILED'], withoutRetry: true },
    strategy: 'ON_LATEST_VERSION',
    ratePerSecond: 10,
    stopAfterFailures: null,
    requestedBy: '0199f000-0000-7000-8000-000000000003',
    total: 3,
    started: 0,
    skipped: 0,
    succeeded: 0,
    failed: 0,
    created: new Date('2026-01-01T00:00:00.000Z'),
    updated: new Date('2026-01-01T00:00:00.000Z'),
    finished: null,
    ...more,
  };
};

export const aRetryUnderWay = (more: Partial<RetryUnderWay> = {}): RetryUnderWay => ({
  ...aPacedRetry(more),
  lastId: null,
  slice: [],
  unfinished: [],
  isAllFound: false,
  ...more,
});
