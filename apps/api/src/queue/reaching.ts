import { DomainError, ServiceUnavailableError } from '@millrace/domain';

const RETRY_AFTER_SECONDS = 5;

/** Returns errors of the domain as they are. Every other error means that the store of the queues is out of reach. */
export const outOfReach = (error: unknown): DomainError =>
  error instanceof DomainError
    ? error
    : new ServiceUnavailableError('The job queue is out of reach; try again later.', RETRY_AFTER_SECONDS, {
        cause: error,
      });

/** Rejects with ServiceUnavailableError when the store of the queues is out of reach. */
export async function reaching<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw outOfReach(error);
  }
}
