import type { StepResult, TriggerResult } from '@millrace/domain';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsAnyJson } from '../rest/any-json';

const TRIGGER_TYPES = ['WEBHOOK', 'SCHEDULE', 'POLLING', 'APP_WEBHOOK', 'MANUAL', 'SUBFLOW'] as const;
const STEP_TYPES = ['ACTION', 'CODE', 'LOOP_ON_ITEMS', 'ROUTER'] as const;
const STATUSES = ['SUCCEEDED', 'FAILED', 'PAUSED', 'RUNNING', 'STOPPED'] as const;

/** A link to an output that is too large to be shown. */
export class OutputFileDto {
  id: string;
  bytes: number;

  /** Good for 7 days. */
  url: string;
}

/** What the trigger or a step of a run did. A trigger has `type`, `output` and `duration` only. */
export class StepResultDto {
  /** The first six are triggers. `ACTION` is a step of a piece. */
  @ApiProperty({ enum: [...TRIGGER_TYPES, ...STEP_TYPES], enumName: 'StepResultType' })
  type: StepResult['type'] | TriggerResult['type'];

  @ApiPropertyOptional({ enum: STATUSES, enumName: 'StepResultStatus' })
  status?: StepResult['status'];

  /** What the step was given, with every expression resolved. */
  @IsAnyJson({ nullable: true, required: false })
  input?: unknown;

  /**
   * What the step gave. Of a loop: `{item, index, iterations}`, each iteration a map of step results like `steps`. Of a
   * router: `{branches}`, each with `branchName`, `branchIndex` and `evaluation`.
   */
  @IsAnyJson({ nullable: true })
  output: unknown;

  /** Milliseconds. */
  duration: number;

  /** Why it failed, one sentence. */
  errorMessage?: string;

  /** How often it was tried; absent when once. */
  attempts?: number;

  /** Where the output is when it is too large to be shown; `output` is null then. */
  outputFile?: OutputFileDto;

  /** Lines the step wrote with `console.*`. */
  logs?: string[];
}
