import { PACED_RETRY_STATUSES, RETRY_STRATEGIES, type PacedRetryStatus, type RetryStrategy } from '@millrace/domain';
import { ApiProperty } from '@nestjs/swagger';
import { PageDto } from '../rest/page.dto';

/** A bulk retry that starts so many runs a second, and how far it has come. */
export class PacedRetryDto {
  id: string;
  projectId: string;

  /**
   * `DONE`: every run was retried or passed over, and the retries have ended or wait. `STOPPED`: too many retries failed.
   */
  @ApiProperty({ enum: PACED_RETRY_STATUSES })
  status: PacedRetryStatus;

  @ApiProperty({ enum: RETRY_STRATEGIES })
  strategy: RetryStrategy;

  /** What selects the runs, as far as it was said. */
  @ApiProperty({ type: 'string', nullable: true, example: null })
  flowId: string | null;

  @ApiProperty({ type: 'string', nullable: true, example: 'step_1' })
  failedStepName: string | null;

  @ApiProperty({ type: 'string', nullable: true, example: null })
  fingerprint: string | null;

  @ApiProperty({ type: 'integer', example: 20 })
  ratePerSecond: number;

  /** It stops when so many retries have failed; null for never. */
  @ApiProperty({ type: 'integer', nullable: true, example: 3 })
  stopAfterFailures: number | null;

  /** Who made it: a user's id, or `api_key:<id>`. */
  requestedBy: string;

  /** How many runs matched when it was made. */
  @ApiProperty({ type: 'integer' })
  total: number;

  /** How many retries were started. */
  @ApiProperty({ type: 'integer' })
  started: number;

  /** How many runs were passed over, because they could not be retried. */
  @ApiProperty({ type: 'integer' })
  skipped: number;

  /** How many retries have succeeded so far. */
  @ApiProperty({ type: 'integer' })
  succeeded: number;

  /** How many retries have ended badly so far; those that a person stopped do not count. */
  @ApiProperty({ type: 'integer' })
  failed: number;

  created: Date;
  updated: Date;

  /** Null while it is running. */
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true, example: null })
  finished: Date | null;
}

export class PacedRetryPageDto extends PageDto {
  data: PacedRetryDto[];
}
