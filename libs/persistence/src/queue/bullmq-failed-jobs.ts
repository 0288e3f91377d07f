import {
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
  async list(limit: number): Promise<FailedJob[]> {
    try {
      const listed = this.queues.get().then((queues) => lastFailed(queues, limit));
      return await withinDeadline(this.deadlineMs, listed);
    } catch (error) {
      void this.queues.close().catch(() => undefined);
      throw error;
    }
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
