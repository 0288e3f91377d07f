import {
  DomainError,
  EntityNotFoundError,
  FailedJobs,
  MAINTENANCE_QUEUE,
  RUN_QUEUE,
  type FailedJob,
  type FailedMaintenanceJob,
  type FailedRunJob,
  type JobKind,
  type MaintenanceJobKind,
} from '@millrace/domain';
import type { Job } from 'bullmq';
import type { AllQueues, SharedQueues } from './all-queues';
import type { MaintenancePayload } from './bullmq-maintenance-queue';
import { retryFailedJob } from './queue-jobs';
import type { RunJobData } from './run-queue';
import { withinDeadline } from './within-deadline';

type RunQueueJob = Job<RunJobData, void, JobKind>;
type MaintenanceQueueJob = Job<MaintenancePayload, void, MaintenanceJobKind>;

const LISTED_WITHIN_MS = 5_000;

/** The failed jobs of BullMQ's queues, which are opened by the first call and are shared by all. */
export class BullMqFailedJobs extends FailedJobs {
  constructor(
    private readonly queues: SharedQueues,
    private readonly deadlineMs = LISTED_WITHIN_MS,
  ) {
    super();
  }

  /** Rejects with QueueDeadlineError when the store does not answer in time. The next call opens the queues anew then. */
  list(limit: number): Promise<FailedJob[]> {
    return this.ask((queues) => lastFailed(queues, limit));
  }

  /** As `list`. */
  retry(jobId: string): Promise<void> {
    return this.ask((queues) => retryIn(queues, jobId));
  }

  private async ask<T>(question: (queues: AllQueues) => Promise<T>): Promise<T> {
    try {
      return await withinDeadline(this.deadlineMs, this.queues.get().then(question));
    } catch (error) {
      if (!(error instanceof DomainError)) void this.queues.close().catch(() => undefined);
      throw error;
    }
  }
}

async function retryIn({ runs, maintenance }: AllQueues, jobId: string): Promise<void> {
  try {
    await retryFailedJob(runs, jobId);
  } catch (error) {
    if (!(error instanceof EntityNotFoundError)) throw error;
    await retryFailedJob(maintenance, jobId);
  }
}

async function lastFailed({ runs, maintenance }: AllQueues, limit: number): Promise<FailedJob[]> {
  const [ofRuns, ofMaintenance] = await Promise.all([
    runs.getFailed(0, limit - 1),
    maintenance.getFailed(0, limit - 1),
  ]);
  return [...ofRuns.map(failedRunJob), ...ofMaintenance.map(failedMaintenanceJob)]
    .sort((a, b) => timeOf(b) - timeOf(a))
    .slice(0, limit);
}

const timeOf = ({ failedAt }: FailedJob): number => failedAt?.getTime() ?? 0;

export const failedRunJob = (job: RunQueueJob): FailedRunJob => ({
  ...givenUp(job),
  queue: RUN_QUEUE,
  kind: job.name,
  runs: job.data.runs,
});

export const failedMaintenanceJob = (job: MaintenanceQueueJob): FailedMaintenanceJob => ({
  ...givenUp(job),
  queue: MAINTENANCE_QUEUE,
  kind: job.name,
  rowId: job.data.rowId,
  data: job.data.data,
});

const givenUp = ({ id, finishedOn, attemptsMade, failedReason }: Job) => ({
  id: id ?? '',
  failedAt: finishedOn === undefined ? null : new Date(finishedOn),
  attempts: attemptsMade,
  reason: failedReason,
});
