import { adviceOnFailedJob, MAINTENANCE_QUEUE, type FailedJob, type FlowRun } from '@millrace/domain';
import { maskSecrets } from '@millrace/http';
import type { FailedJobDto, RunOfJobDto } from './queue.dto';

/** The ids of the runs that the jobs carried. */
export const runIdsOf = (jobs: readonly FailedJob[]): string[] => [
  ...new Set(jobs.flatMap((job) => (job.queue === MAINTENANCE_QUEUE ? [] : job.runs.map(({ runId }) => runId)))),
];

/** Tells why the job failed, what it was about and what to do. `runs` are those of its runs that still exist. */
export function explained(job: FailedJob, runs: ReadonlyMap<string, FlowRun>): FailedJobDto {
  const ofJob = runIdsOf([job]).flatMap((id) => runs.get(id) ?? []);
  const { id, queue, kind, failedAt, attempts, reason } = job;
  return {
    ...{ id, queue, kind, failedAt, attempts },
    reason: maskSecrets(reason),
    whatToDo: adviceOnFailedJob(job, ofJob),
    runs: ofJob.map(shownRun),
    subject: job.queue === MAINTENANCE_QUEUE ? subjectOf(job.rowId, job.data) : null,
  };
}

const shownRun = ({ id, projectId, flowId, flowVersionId, status }: FlowRun): RunOfJobDto => ({
  ...{ id, projectId, flowId, flowVersionId, status },
});

const subjectOf = (id: string, { projectId, ...data }: { projectId: string; flowVersionId?: string }) => ({
  id,
  projectId,
  flowVersionId: data.flowVersionId ?? null,
});
