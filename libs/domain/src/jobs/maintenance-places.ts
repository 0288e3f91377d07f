import { JOB_PRIORITY } from './job-policy';
import type { MaintenanceJob, MaintenanceJobKind } from './maintenance-jobs';

/** So many jobs of a project stand in one level of the queue. */
const JOBS_PER_LEVEL = 8;
const MOST_LEVELS = 1_000;

/** Somebody waits for the outcome of these jobs. */
const AWAITED: ReadonlySet<MaintenanceJobKind> = new Set([
  'TriggerHookJob',
  'PieceInstallationJob',
  'PieceQuestionJob',
]);

/**
 * Where each of the jobs stands in the queue; a smaller place is sooner. The first few jobs of every project come before
 * the further jobs of any project, so that nobody waits for a project with thousands of polls.
 */
export function placesInMaintenanceQueue(jobs: readonly MaintenanceJob[]): number[] {
  const before = new Map<string, number>();
  return jobs.map(({ kind, data: { projectId } }) => {
    if (AWAITED.has(kind)) return JOB_PRIORITY.webhook;
    const count = before.get(projectId) ?? 0;
    before.set(projectId, count + 1);
    return JOB_PRIORITY.maintenance + Math.min(MOST_LEVELS, Math.floor(count / JOBS_PER_LEVEL));
  });
}
