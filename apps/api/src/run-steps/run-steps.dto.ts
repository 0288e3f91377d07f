import type { StepSummary } from '@millrace/domain';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { PageDto } from '../rest/page.dto';
import { PagedQueryDto } from '../rest/paged-query.dto';
import { STEP_RESULT_STATUSES, STEP_RESULT_TYPES, STEP_TYPES, StepResultDto } from '../runs/step-result.dto';

export class ListRunStepsQueryDto extends PagedQueryDto {
  /**
   * Where to look: an iteration such as `each_order[2]` has the steps in it, a loop such as `each_order` its iterations.
   * Indexes count from 0. Without it, the steps that are in no loop are listed.
   */
  @IsOptional()
  @IsString()
  path?: string = '';
}

export class IterationCountsDto {
  /** How many iterations have begun. */
  count: number;

  /** In how many of them a step failed. */
  failed: number;

  /** The index of the first of these, from 0; null when none failed. */
  @ApiProperty({ type: 'integer', nullable: true })
  firstFailed: number | null;
}

/** What a step or an iteration did, without its data. */
export class StepSummaryDto {
  /** The path of the step, or the place of the iteration. */
  @ApiProperty({ example: 'each_order[2].step_1' })
  path: string;

  /** The kind of trigger or step, or `ITERATION`. */
  @ApiProperty({ enum: [...STEP_RESULT_TYPES, 'ITERATION'], enumName: 'StepSummaryType' })
  type: StepSummary['type'];

  /** Of an iteration it is the status of the step to look at first: one that failed, or else that has not succeeded. */
  @ApiProperty({ enum: STEP_RESULT_STATUSES, enumName: 'StepResultStatus' })
  status: StepSummary['status'];

  /** How long the step took, in milliseconds. Of an iteration it is the sum of its steps. */
  duration: number;

  /** When it began. Absent as in the result of a step. */
  startTime?: Date;

  /** How long the step waited between its begin and its end, in milliseconds; absent when it did not. */
  waited?: number;

  /** The number of attempts; absent when there was only one. */
  attempts?: number;

  /** Only of a loop. */
  iterations?: IterationCountsDto;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'Only of an iteration: how many steps it has come to, without those in loops inside it.',
  })
  steps?: number;
}

export class StepSummaryPageDto extends PageDto {
  /** In the order in which they ran, the trigger first. */
  data: StepSummaryDto[];
}

export class BranchTotalsDto {
  branchName: string;

  /** How often the conditions of the branch were met. */
  met: number;

  /** How often it was the first branch whose conditions were met. */
  first: number;
}

/** What one step did in all iterations together. */
export class StepTotalsDto {
  stepName: string;

  @ApiProperty({ enum: STEP_TYPES, enumName: 'StepType' })
  type: (typeof STEP_TYPES)[number];

  /** How often the run came to the step. */
  count: number;

  /** The status to look at first: `FAILED` when the step failed in any iteration. */
  @ApiProperty({ enum: STEP_RESULT_STATUSES, enumName: 'StepResultStatus' })
  status: StepSummary['status'];

  /** How long it took in all, in milliseconds. */
  duration: number;

  /** Only of a loop: how many iterations it has begun. */
  iterations?: number;

  /** Only of a router. */
  branches?: BranchTotalsDto[];
}

export class RunStepTotalsDto {
  /** One for each step that the run came to, without the trigger, in the order in which it came to them. */
  data: StepTotalsDto[];
}

/** What one step was given, gave and wrote. */
export class RunStepDto extends StepResultDto {
  /** The path of the step. */
  @ApiProperty({ example: 'each_order[2].step_1' })
  path: string;
}
