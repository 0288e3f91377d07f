import { AsItCame } from '@millrace/http';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsString, ValidateBy } from 'class-validator';
import { IsAnyJson } from '../rest/any-json';
import { MayBeLeftOut } from '../rest/may-be-left-out.decorator';

export const RERUN_VERSIONS = ['same', 'latest', 'draft'] as const;
export type RerunVersion = (typeof RERUN_VERSIONS)[number];
export const DEFAULT_RERUN_VERSION: RerunVersion = 'same';

/** The deepest nesting of loops. */
const MAX_LOOPS = 100;

const isIteration = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 1;

const ITERATION = { type: 'integer', minimum: 1 };

const IsIteration = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      oneOf: [ITERATION, { type: 'array', items: ITERATION, maxItems: MAX_LOOPS }],
      example: 3,
    }),
    ValidateBy({
      name: 'isIteration',
      validator: {
        validate: (value: unknown) =>
          isIteration(value) || (Array.isArray(value) && value.length <= MAX_LOOPS && value.every(isIteration)),
        defaultMessage: () => 'must be a whole number from 1, or a list of such numbers.',
      },
    }),
  );

export class RerunDto {
  /**
   * The name of the step to start from. Results of the steps before it are reused. Default: the whole flow runs again.
   */
  @ApiPropertyOptional({ example: 'step_2' })
  @MayBeLeftOut()
  @IsString()
  fromStep?: string;

  /**
   * The iteration of the loop around the step to start from, counted from 1. For nested loops a list, outermost loop
   * first.
   */
  @MayBeLeftOut()
  @AsItCame()
  @IsIteration()
  iteration?: number | number[];

  /**
   * The version to run: `same` is the version of the ended run, the others are the published version and the latest
   * version with its unpublished edits.
   */
  @MayBeLeftOut()
  @IsIn(RERUN_VERSIONS)
  version?: RerunVersion = DEFAULT_RERUN_VERSION;

  /** The trigger's new output. Default: its output in the ended run. */
  @IsAnyJson({ nullable: true, required: false, example: { body: { order: 1042 } } })
  @MayBeLeftOut()
  @AsItCame()
  input?: unknown;

  /** When true, starts no run, and answers which steps with an effect would run. */
  @MayBeLeftOut()
  @IsBoolean()
  dryRun?: boolean = false;
}

export class RepeatedEffectDto {
  @ApiProperty({ example: 'step_2' })
  stepName: string;

  displayName: string;
  pieceName: string;
  actionName: string;

  /** True when the ended run had reached the step, so that its effect may have happened. */
  ranBefore: boolean;
}

/** The plan of a rerun. */
export class RerunPlanDto {
  /** The steps that may run and have an effect on the outside, in the order of the version. */
  steps: RepeatedEffectDto[];

  /** The number of results that are reused. */
  keptSteps: number;
}
