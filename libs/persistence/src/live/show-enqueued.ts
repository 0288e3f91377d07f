import type { LiveUpdates, RunJob } from '@millrace/domain';

/** Publishes that the runs of these jobs are RUNNING: they were started or resumed by a transaction that is committed. */
export function showEnqueued(live: LiveUpdates, jobs: readonly RunJob[]): void {
  if (!live.isWatched) return;
  for (const { runId, projectId } of jobs.flatMap(({ runs }) => runs))
    live.runChanged({ id: runId, projectId, status: 'RUNNING' });
}
