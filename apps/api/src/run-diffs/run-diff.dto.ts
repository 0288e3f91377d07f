import type { StepDifference } from '@millrace/domain';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsAnyJson } from '../rest/any-json';
import { FlowRunDto } from '../runs/run.dto';

const SIDES = ['before', 'after'] as const;

/** A value in the first run and in the second. A run without the value has no member here. */
export class FieldDifferenceDto {
  @IsAnyJson({ nullable: true, required: false })
  before?: unknown;

  @IsAnyJson({ nullable: true, required: false })
  after?: unknown;

  /** The sides whose value was too large to show. They hold the beginning of its JSON text. */
  @ApiPropertyOptional({ enum: SIDES, isArray: true })
  cut?: (typeof SIDES)[number][];
}

export class VersionsOfRunsDto {
  before: string;
  after: string;
}

/** The fields of a step that differ. `duration`, in milliseconds, is shown for steps that differ otherwise. */
export class FieldDifferencesDto {
  status?: FieldDifferenceDto;
  type?: FieldDifferenceDto;
  input?: FieldDifferenceDto;
  output?: FieldDifferenceDto;
  errorMessage?: FieldDifferenceDto;
  attempts?: FieldDifferenceDto;
  duration?: FieldDifferenceDto;
}

export class StepDifferenceDto {
  /** The name of the step, after `<loop>[<index>].` for each loop around it. Indexes count from 0. */
  @ApiProperty({ example: 'each_order[2].step_1' })
  path: string;

  stepName: string;

  /** `ADDED` when only the second run has the step, `REMOVED` when only the first has it. */
  @ApiProperty({ enum: ['ADDED', 'REMOVED', 'CHANGED'] })
  change: StepDifference['change'];

  fields: FieldDifferencesDto;
}

/** The differences between two runs. */
export class RunDiffDto {
  /** The first run and the second run. */
  @ApiProperty({ type: [FlowRunDto], minItems: 2, maxItems: 2 })
  runs: FlowRunDto[];

  /** The ids of the versions. Present when the runs executed different versions. */
  flowVersionId?: VersionsOfRunsDto;

  /** The payloads of the triggers. Present when they differ. */
  trigger?: FieldDifferenceDto;

  /** The number of steps without a difference. */
  same: number;

  /** The differences in the order of the first run, and then of the second. */
  differences: StepDifferenceDto[];

  /** The number of differences that are not shown. */
  more: number;
}
