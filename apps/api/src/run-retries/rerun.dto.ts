import { AsItCame } from '@millrace/http';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsString, ValidateBy } from 'class-validator';
import { IsAnyJson } from '../rest/any-json';
import { MayBeLeftOut } from '../runs/bulk-runs.dto';

export const RERUN_VERSIONS = ['same', 'latest', 'draft'] as const;
export type RerunVersion = (typeof RERUN_VERSIONS)[number];

/** Loops nest no deeper. */
const MAX_LOOPS = 100;

const isIteration = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 1;

const IsIteration = (): PropertyDecorator =>
  ValidateBy({
    name: 'isIteration',
    validator: {
      validate: (value: unknown) =>
        isIteration(value) || (Array.isArray(value) && value.length <= MAX_LOOPS && value.every(isIteration)),
      defaultMessage: () => 'must be a whole number from 1, or a list of such numbers.',
    },
  });

export class RerunDto {
  /** The step to begin with; results of steps before it are reused. Without it, the whole flow runs. */
  @ApiPropertyOptional({ example: 'step_2' })
  @MayBeLeftOut()
  @IsString()
  fromStep?: string;

  /** Which iteration to begin with, from 1, of the loop around the step; for nested loops a list, the outermost first. */
  @ApiPropertyOptional({
    oneOf: [
      { type: 'integer', minimum: 1 },
      { type: 'array', items: { type: 'integer', minimum: 1 }, maxItems: MAX_LOOPS },
    ],
    example: 3,
  })
  @MayBeLeftOut()
  @AsItCame()
  @IsIteration()
  iteration?: number | number[];

  /** The version of the ended run, the published one, or the latest with all edits. */
  @ApiPropertyOptional({ enum: RERUN_VERSIONS, default: 'same' })
  @MayBeLeftOut()
  @IsIn(RERUN_VERSIONS)
  version?: RerunVersion;

  /** What the trigger gives, in place of what it gave. */
  @IsAnyJson({ nullable: true, required: false, example: { body: { order: 1042 } } })
  @MayBeLeftOut()
  @AsItCame()
  input?: unknown;

  /** Starts nothing, and says which steps with an effect would run. */
  @ApiPropertyOptional({ type: 'boolean', default: false })
  @MayBeLeftOut()
  @IsBoolean()
  dryRun?: boolean;
}

export class RepeatedEffectDto {
  @ApiProperty({ example: 'step_2' })
  stepName: string;

  displayName: string;
  pieceName: string;
  actionName: string;

  /** The ended run had come to it, so its effect may have happened. */
  ranBefore: boolean;
}

/** What a rerun would do. */
export class RerunPlanDto {
  /** The steps with an effect on the outside world that may run, in the order of the version. */
  steps: RepeatedEffectDto[];

  /** How many results are reused. */
  keptSteps: number;
}
