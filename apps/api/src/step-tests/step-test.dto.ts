import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { IsAnyJson } from '../rest/any-json';

const STATUSES = ['SUCCEEDED', 'FAILED', 'RUNNING'] as const;
export type StepTestStatus = (typeof STATUSES)[number];

export class TestStepDto {
  @IsString()
  flowId: string;

  /** An action of the latest version. */
  @ApiProperty({ example: 'step_1' })
  @IsString()
  stepName: string;
}

/** How a step did alone. Only `runId` and `status` when it has not ended in time. */
export class StepTestDto {
  runId: string;

  /** `RUNNING`: it goes on; read the run. */
  @ApiProperty({ enum: STATUSES })
  status: StepTestStatus;

  @IsAnyJson({ nullable: true, required: false })
  input?: unknown;

  @IsAnyJson({ nullable: true, required: false })
  output?: unknown;

  errorMessage?: string;

  /** Lines the step wrote with `console.*`. */
  logs?: string[];

  /** Milliseconds. */
  duration?: number;
}
