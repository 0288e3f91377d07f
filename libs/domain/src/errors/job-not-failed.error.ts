import { DomainError } from './domain-error';

/** Thrown when a job is to be retried that has not failed. */
export class JobNotFailedError extends DomainError {
  readonly code = 'JOB_NOT_FAILED';

  constructor(jobId: string, state: string) {
    super(`Only a failed job can be retried; this one is ${state}.`, { jobId, state });
  }
}
