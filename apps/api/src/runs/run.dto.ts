import { FLOW_RUN_STATUSES, type FlowRunStatus, type RunEnvironment } from '@millrace/domain';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsIn, IsOptional, IsString } from 'class-validator';
import { asList, PagedQueryDto } from '../paged-query.dto';

const MAX_LIST_ITEMS = 100;

export class ListRunsQueryDto extends PagedQueryDto {
  @IsString()
  projectId: string;

  @IsOptional()
  @IsString()
  flowId?: string;

  @ApiPropertyOptional({ enum: FLOW_RUN_STATUSES, isArray: true })
  @IsOptional()
  @Transform(asList)
  @ArrayMaxSize(MAX_LIST_ITEMS)
  @IsIn(FLOW_RUN_STATUSES, { each: true })
  status?: FlowRunStatus[];
}

export class RunFlowVersionDto {
  displayName: string;
}

export class FailedStepDto {
  name: string;
  displayName: string;
  message: string;
}

export class WaitingOnDto {
  @ApiProperty({ enum: ['worker', 'timer', 'human', 'child'] })
  kind: 'worker' | 'timer' | 'human' | 'child';
  since: Date;
  until?: Date;
  requestId?: string;
}

export class FlowRunDto {
  id: string;
  projectId: string;
  flowId: string;
  flowVersionId: string;
  flowVersion: RunFlowVersionDto;

  @ApiProperty({ enum: FLOW_RUN_STATUSES })
  status: FlowRunStatus;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  startTime: Date | null;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  finishTime: Date | null;

  @ApiProperty({ enum: ['PRODUCTION', 'TESTING'] })
  environment: RunEnvironment;

  triggeredBy: string;
  tags: string[];
  failedStep?: FailedStepDto;
  stepsCount: number;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  archivedAt: Date | null;

  created: Date;
  updated: Date;

  @ApiProperty({ type: 'string', nullable: true })
  parentRunId: string | null;

  failParentOnFailure: boolean;

  @ApiProperty({ type: 'string', nullable: true })
  retryOfRunId: string | null;

  @ApiProperty({ type: 'string', nullable: true })
  statusReason: string | null;

  waitingOn?: WaitingOnDto;
}

export class FlowRunDetailDto extends FlowRunDto {
  /** Step name to step result; absent when the run has not started. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: { type: 'object', additionalProperties: true } })
  steps?: object;

  @ApiProperty({ type: 'string', nullable: true })
  logsFileId: string | null;
}

export class FlowRunPageDto {
  data: FlowRunDto[];

  @ApiProperty({ type: 'string', nullable: true })
  next: string | null;

  @ApiProperty({ type: 'string', nullable: true })
  previous: string | null;
}
