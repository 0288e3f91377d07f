import type { StepDifference } from '@millrace/domain';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsAnyJson } from '../rest/any-json';
import { FlowRunDto } from '../runs/run.dto';

const SIDES = ['before', 'after'] as const;

/** A value in the first run and in the second; a side is absent when it has none. */
export class FieldDifferenceDto {
  @IsAnyJson({ nullable: true, required: false })
  before?: unknown;

  @IsAnyJson({ nullable: true, required: false })
  after?: unknown;

  /** The sides that were too large to show: they are the beginning of their JSON text. */
  @ApiPropertyOptional({ enum: SIDES, isArray: true })
  cut?: (typeof SIDES)[number][];
}

export class VersionsOfRunsDto {
  before: string;
  after: string;
}

/** `duration`, in milliseconds, is told of steps that differ and makes no difference by itself. */
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
  /** The step's name after `<loop>[<index>].` for each loop around it; indexes count from 0. */
  @ApiProperty({ example: 'each_order[2].step_1' })
  path: string;

  stepName: string;

  /** `ADDED`: only the second run has it; `REMOVED`: only the first. */
  @ApiProperty({ enum: ['ADDED', 'REMOVED', 'CHANGED'] })
  change: StepDifference['change'];

  fields: FieldDifferencesDto;
}

/** What went otherwise in the second run than in the first. */
export class RunDiffDto {
  /** The first and the second. */
  @ApiProperty({ type: [FlowRunDto], minItems: 2, maxItems: 2 })
  runs: FlowRunDto[];

  /** Present when the runs executed two versions: their ids. */
  flowVersionId?: VersionsOfRunsDto;

  /** Present when the triggers gave two payloads. */
  trigger?: FieldDifferenceDto;

  /** How many steps went alike. */
  same: number;

  /** In the order of the first run, then of the second. */
  differences: StepDifferenceDto[];

  /** How many more differences there are than are shown. */
  more: number;
}
