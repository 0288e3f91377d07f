import type { FlowRunStatus } from '../run-status';
import { RUN_QUEUE, type ExecuteFlowJob, type JobKind } from './job-kinds';
import { MAINTENANCE_QUEUE, type MaintenanceJob, type MaintenanceJobKind } from './maintenance-jobs';

interface GivenUpJob {
  id: string;
  failedAt: Date | null;
  attempts: number;
  /** The message of the error that ended the last attempt. It may name internals. */
  reason: string;
}

export interface FailedRunJob extends GivenUpJob {
  queue: typeof RUN_QUEUE;
  kind: JobKind;
  runs: readonly ExecuteFlowJob[];
}

export interface FailedMaintenanceJob extends GivenUpJob {
  queue: typeof MAINTENANCE_QUEUE;
  kind: MaintenanceJobKind;
  /** The row of the database that the job was about. */
  rowId: string;
  data: MaintenanceJob['data'];
}

/** A job that its queue has given up. Rows of the database decide what becomes of its work. */
export type FailedJob = FailedRunJob | FailedMaintenanceJob;

/** The jobs that the queues have given up, for administrators of the platform. */
export abstract class FailedJobs {
  /** At most `limit` jobs of both queues, those first that failed last. */
  abstract list(limit: number): Promise<FailedJob[]>;
  /**
   * Puts a failed job of either queue back, with all its attempts before it. Throws EntityNotFoundError and
   * JobNotFailedError. What its rows say decides whether anything is done again, as for every job.
   */
  abstract retry(jobId: string): Promise<void>;
}

/** What does again what a job of the maintenance queue was to do. */
const REPEATED: Readonly<Record<Exclude<MaintenanceJobKind, 'PieceQuestionJob'>, string>> = {
  PollingJob: 'the trigger is polled again',
  RenewWebhookJob: 'what the trigger has registered is renewed again',
  EventDestinationJob: 'the events stay in their log and are sent again',
  TriggerHookJob: 'the hook of the trigger is called again',
  PieceInstallationJob: 'the package is installed again',
};

/** Tells an operator what becomes of the work of a failed job, and what to do. */
export function adviceOnFailedJob(
  job: Pick<FailedRunJob, 'id' | 'queue'> | Pick<FailedMaintenanceJob, 'id' | 'queue' | 'kind'>,
  runs: readonly { id: string; status: FlowRunStatus }[],
): string {
  if (job.queue === MAINTENANCE_QUEUE) return adviceOnMaintenance(job.kind);
  const running = runs.filter(({ status }) => status === 'RUNNING').map(({ id }) => id);
  if (running.length === 0) return 'Nothing has to be done: no run of this job needs a job now.';
  return (
    `Wait some seconds: while a worker or the api runs, ${running.join(', ')} is put into a new job. If a run does not ` +
    `go on, mend the cause that the reason names. POST /api/v1/admin/queue/retry/${job.id} puts this job back at once; ` +
    'runs that have ended stay as they are.'
  );
}

function adviceOnMaintenance(kind: MaintenanceJobKind): string {
  if (kind === 'PieceQuestionJob')
    return 'Nothing has to be done: whoever asked the package has got an error by now, and may ask again.';
  return `Nothing has to be done: ${REPEATED[kind]} by a new job, once the claim of this one has run out.`;
}
