import {
  DEFAULT_PAGE_LIMIT,
  FailedJobs,
  FlowRunRepository,
  QueueAdministration,
  type FailedJob,
  type QueueCounts,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { explained, runIdsOf } from './explained-jobs';
import type { FailedJobDto, FailedJobsDto } from './queue.dto';
import { reaching } from './reaching';

/** The job queues, for administrators. Throws ServiceUnavailableError while their store is out of reach. */
@Injectable()
export class QueueService {
  constructor(
    private readonly queue: QueueAdministration,
    private readonly failedJobs: FailedJobs,
    private readonly runs: FlowRunRepository,
  ) {}

  counts(): Promise<QueueCounts> {
    return reaching(this.queue.counts());
  }

  async failed(limit = DEFAULT_PAGE_LIMIT): Promise<FailedJobsDto> {
    return { data: await this.explain(await reaching(this.failedJobs.list(limit))) };
  }

  /** Tells of each job, in their order, why it failed, what it was about and what to do. */
  async explain(jobs: readonly FailedJob[]): Promise<FailedJobDto[]> {
    if (jobs.length === 0) return [];
    const runs = await this.runs.findAll(runIdsOf(jobs));
    const byId = new Map(runs.map((run) => [run.id, run]));
    return jobs.map((job) => explained(job, byId));
  }

  retryFailed(jobId: string): Promise<void> {
    return reaching(this.queue.retryFailed(jobId));
  }
}
