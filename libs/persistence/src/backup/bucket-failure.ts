import { reasonOf, ServiceUnavailableError } from '@millrace/domain';
import { BackupError } from './backup-error';

/** Performs `work`. When the bucket fails meanwhile, it throws BackupError, which says what `left` tells and what to do. */
export async function namingBucketFailure<T>(left: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceUnavailableError)) throw error;
    throw new BackupError(
      `The bucket failed (${describe(error.cause)}): ${left}; see that the storage runs and that SVC_S3_ENDPOINT, SVC_S3_BUCKET and its keys are right, and run the same command again.`,
      { cause: error },
    );
  }
}

/** An answer of S3 has a code, which is its name, and a status. Its message may be empty or long. */
function describe(cause: unknown): string {
  const { name, $metadata } = cause as { name?: string; $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  return status === undefined ? reasonOf(cause) : `${name}, status ${status}: ${reasonOf(cause)}`;
}
