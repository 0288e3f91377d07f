import { DomainError, QueueAdministration, ServiceUnavailableError, type QueueCounts } from '@millrace/domain';
import { Injectable } from '@nestjs/common';

const RETRY_AFTER_SECONDS = 5;

/** The queue of runs, for administrators. Throws ServiceUnavailableError while its store is out of reach. */
@Injectable()
export class QueueService {
  constructor(private readonly queue: QueueAdministration) {}

  counts(): Promise<QueueCounts> {
    return reaching(this.queue.counts());
  }

  retryFailed(jobId: string): Promise<void> {
    return reaching(this.queue.retryFailed(jobId));
  }
}

async function reaching<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw new ServiceUnavailableError('The job queue is out of reach; try again later.', RETRY_AFTER_SECONDS, {
      cause: error,
    });
  }
}
