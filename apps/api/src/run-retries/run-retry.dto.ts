import { FLOW_RUN_STATUSES, isFinal, RETRY_STRATEGIES, type FlowRunStatus, type RetryStrategy } from '@millrace/domain';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayNotEmpty, IsArray, IsIn, IsString } from 'class-validator';
import { BulkSelectionDto, MayBeLeftOut } from '../runs/bulk-runs.dto';

const EMPTY = { message: 'must not be empty; leave it out to mean all that are retried.' };

/** What a run can be retried out of. */
export const RETRYABLE: readonly FlowRunStatus[] = FLOW_RUN_STATUSES.filter(isFinal);

export class RetryRunDto {
  /** `FROM_FAILED_STEP` keeps what earlier steps gave; `ON_LATEST_VERSION` starts over on the published version. */
  @ApiProperty({ enum: RETRY_STRATEGIES })
  @IsIn(RETRY_STRATEGIES)
  strategy: RetryStrategy;

  /** The project of the run. */
  @IsString()
  projectId: string;
}

export class RetryRunsDto extends BulkSelectionDto {
  /** `FROM_FAILED_STEP` keeps what earlier steps gave; `ON_LATEST_VERSION` starts over on the published version. */
  @ApiProperty({ enum: RETRY_STRATEGIES })
  @IsIn(RETRY_STRATEGIES)
  strategy: RetryStrategy;

  /** Without it: those that ended badly or were stopped. */
  @ApiPropertyOptional({ enum: RETRYABLE, isArray: true })
  @MayBeLeftOut()
  @IsArray()
  @ArrayNotEmpty(EMPTY)
  @IsIn(RETRYABLE, { each: true })
  status?: FlowRunStatus[];

  /** The name of the step at which runs failed. */
  @MayBeLeftOut()
  @IsString()
  failedStepName?: string;
}

export class RetriedDto {
  /** How many runs this call started, or would have. */
  retried: number;
}
