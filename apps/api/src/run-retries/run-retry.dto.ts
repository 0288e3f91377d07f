import {
  FLOW_RUN_STATUSES,
  isFinal,
  MOST_PER_SECOND,
  RETRY_STRATEGIES,
  type FlowRunStatus,
  type RetryStrategy,
} from '@millrace/domain';
import { ArrayNotEmpty, IsArray, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { MayBeLeftOut } from '../rest/may-be-left-out.decorator';
import { BulkSelectionDto } from '../runs/bulk-runs.dto';

const EMPTY = { message: 'must not be empty; leave it out to mean all that are retried.' };

const MOST_FAILURES = 1_000;

/** The statuses of runs that can be retried. */
export const RETRYABLE: readonly FlowRunStatus[] = FLOW_RUN_STATUSES.filter(isFinal);

export class RetryRunDto {
  /**
   * `FROM_FAILED_STEP` reuses the results of the steps before the failed one; `ON_LATEST_VERSION` starts over on the
   * published version.
   */
  @IsIn(RETRY_STRATEGIES)
  strategy: RetryStrategy;

  /** The id of the run's project. */
  @IsString()
  projectId: string;
}

export class RetryRunsDto extends BulkSelectionDto {
  /**
   * `FROM_FAILED_STEP` reuses the results of the steps before the failed one; `ON_LATEST_VERSION` starts over on the
   * published version.
   */
  @IsIn(RETRY_STRATEGIES)
  strategy: RetryStrategy;

  /** Selects runs with any of these statuses. Default: every final status except `SUCCEEDED`. */
  @MayBeLeftOut()
  @IsArray()
  @ArrayNotEmpty(EMPTY)
  @IsIn(RETRYABLE, { each: true })
  status?: FlowRunStatus[];

  /** Selects runs that failed at the step with this name. */
  @MayBeLeftOut()
  @IsString()
  failedStepName?: string;

  /** Selects runs that failed with a message of this fingerprint, as the groups of failures name it. */
  @MayBeLeftOut()
  @IsString()
  fingerprint?: string;

  /** Starts so many retries a second, in the background. Default with `stopAfterFailures`: 10. */
  @MayBeLeftOut()
  @IsInt()
  @Min(1)
  @Max(MOST_PER_SECOND)
  ratePerSecond?: number;

  /** Starts no more retries when so many have failed. Without it, none are watched. */
  @MayBeLeftOut()
  @IsInt()
  @Min(1)
  @Max(MOST_FAILURES)
  stopAfterFailures?: number;
}

export class RetriedDto {
  /** The number of runs that this call started, or would have started with `dryRun`. */
  retried: number;

  /** The paced retry that starts the runs; absent when this call has started them. */
  pacedRetryId?: string;
}
