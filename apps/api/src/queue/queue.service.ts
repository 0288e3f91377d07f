import {
  Backlog,
  DEFAULT_PAGE_LIMIT,
  FailedJobs,
  FlowRunRepository,
  QueueAdministration,
  type FailedJob,
  type QueueCounts,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { explained, runIdsOf } from './explained-jobs';
import type { FailedJobDto, FailedJobsDto, QueueBacklogDto } from './queue.dto';
import { reaching } from './reaching';

/** Until they are counted for the first time, which is soon after the start. */
const NOT_COUNTED: QueueBacklogDto = { measuredAt: null, runs: 0, held: 0, bytes: 0, oldest: null };

/** The job queues, for administrators. Throws ServiceUnavailableError while their store is out of reach. */
@Injectable()
export class QueueService {
  constructor(
    private readonly queue: QueueAdministration,
    private readonly failedJobs: FailedJobs,
    private readonly runs: FlowRunRepository,
    private readonly waiting: Backlog,
  ) {}

  counts(): Promise<QueueCounts> {
    return reaching(this.queue.counts());
  }

  async backlog(): Promise<QueueBacklogDto> {
    const reading = await this.waiting.read();
    if (!reading) return NOT_COUNTED;
    const { measuredAt, runs, held, bytes, oldest } = reading;
    return { measuredAt, runs, held, bytes, oldest };
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
    return reaching(this.failedJobs.retry(jobId));
  }
}
