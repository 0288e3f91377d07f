import type { StepResult, TriggerResult } from '@millrace/domain';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsAnyJson } from '../rest/any-json';

const TRIGGER_TYPES = ['WEBHOOK', 'SCHEDULE', 'POLLING', 'APP_WEBHOOK', 'MANUAL', 'SUBFLOW'] as const;
export const STEP_TYPES = ['ACTION', 'CODE', 'LOOP_ON_ITEMS', 'ROUTER'] as const;
export const STEP_RESULT_TYPES = [...TRIGGER_TYPES, ...STEP_TYPES] as const;
export const STEP_RESULT_STATUSES = ['SUCCEEDED', 'FAILED', 'PAUSED', 'RUNNING', 'STOPPED'] as const;

/** A link to an output that is too large to be shown. */
export class OutputFileDto {
  id: string;
  bytes: number;

  /** A link to the file, as the caller may see it. It is valid for 7 days and needs no credentials. */
  url: string;
}

/** The result of the trigger or a step of a run. A trigger has only `type`, `output` and `duration`. */
export class StepResultDto {
  /** The kind of trigger or step. The first six values are triggers. `ACTION` is a step of a piece. */
  @ApiProperty({ enum: STEP_RESULT_TYPES, enumName: 'StepResultType' })
  type: StepResult['type'] | TriggerResult['type'];

  @ApiPropertyOptional({ enum: STEP_RESULT_STATUSES, enumName: 'StepResultStatus' })
  status?: StepResult['status'];

  /** The input of the step, with every expression resolved. */
  @IsAnyJson({ nullable: true, required: false })
  input?: unknown;

  /**
   * The output of the step. A loop has `{item, index, iterations}`, in which each iteration is a map of step results
   * like `steps`. A router has `{branches}`, each with `branchName`, `branchIndex` and `evaluation`.
   */
  @IsAnyJson({ nullable: true })
  output: unknown;

  /** How long the step took, in milliseconds. */
  duration: number;

  /**
   * When the step began. Absent for triggers, for steps that the run took over from the run that it retries, and for
   * those of earlier releases.
   */
  startTime?: Date;

  /** How long the step waited between its begin and its end, in milliseconds; absent when it did not. */
  waited?: number;

  /** One sentence that says why the step failed. */
  errorMessage?: string;

  /** The number of attempts; absent when there was only one. */
  attempts?: number;

  /** A link to an output that is too large to be shown. `output` is null then. */
  outputFile?: OutputFileDto;

  /** The lines that the step wrote with `console.*`. */
  logs?: string[];
}
