import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { IsAnyJson } from '../rest/any-json';

const STATUSES = ['SUCCEEDED', 'FAILED', 'RUNNING'] as const;
export type StepTestStatus = (typeof STATUSES)[number];

export class TestStepDto {
  @IsString()
  flowId: string;

  /** The name of a step of the latest version. */
  @ApiProperty({ example: 'step_1' })
  @IsString()
  stepName: string;
}

/** The result of a step that ran alone. It has only `runId` and `status` when the step has not ended in time. */
export class StepTestDto {
  runId: string;

  /** `RUNNING` when the step has not ended after a minute; read the run `runId` later. */
  @ApiProperty({ enum: STATUSES })
  status: StepTestStatus;

  @IsAnyJson({ nullable: true, required: false })
  input?: unknown;

  @IsAnyJson({ nullable: true, required: false })
  output?: unknown;

  errorMessage?: string;

  /** The lines that the step wrote with `console.*`. */
  logs?: string[];

  /** How long the step took, in milliseconds. */
  duration?: number;
}
