import { FLOW_RUN_STATUSES, type AskedPerson, type FlowRunStatus, type RunEnvironment } from '@millrace/domain';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { StepResultDto } from './step-result.dto';

export class RunFlowVersionDto {
  displayName: string;
}

export class FailedStepDto {
  name: string;
  displayName: string;
  message: string;
}

/** What a person is asked. */
export class AskedPersonDto {
  @ApiProperty({
    enum: ['approval', 'form', 'webhook'],
    description: 'What answers it: a decision, the fields of a form, or any request to its link.',
  })
  kind: AskedPerson['kind'];

  /** The path of the step that waits. */
  stepPath: string;

  /** The name of the step for people; absent for waits that an earlier release recorded. */
  stepDisplayName?: string;

  /** What the author of the flow wants the person to know; absent when there is nothing. */
  message?: string;
}

export class WaitingOnDto {
  @ApiProperty({ enum: ['worker', 'timer', 'human', 'child'] })
  kind: 'worker' | 'timer' | 'human' | 'child';
  since: Date;
  until?: Date;
  /** The request that a person can answer. Only who has `WRITE_RUN` gets it. */
  requestId?: string;
  /** Present when a person is asked. */
  request?: AskedPersonDto;

  @ApiPropertyOptional({
    description: 'Present when a rule of the flow makes the run wait: one sentence that names it.',
  })
  reason?: string;
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

  /** A user's id, `api_key:<id>`, or what else started the run, such as `webhook`. */
  triggeredBy: string;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    description:
      'The name of the person or of the key that started the run; null for whatever else did, and for one who was ' +
      'deleted. Present in lists, and when a run is read.',
    example: 'Ada Lovelace',
  })
  triggeredByName?: string | null;

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

@ApiExtraModels(StepResultDto)
export class FlowRunDetailDto extends FlowRunDto {
  /** The result of each step, by step name; absent when the run has not started. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: { $ref: getSchemaPath(StepResultDto) } })
  steps?: object;

  /** Says in one sentence why the recorded steps cannot be read. `steps` is absent then. */
  stepsUnreadable?: string;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'How large the steps are, in bytes. Present when they were left out because of `maxStepsBytes`.',
  })
  stepsBytes?: number;

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

export class RunCountDto {
  count: number;
}

/** The number of runs with each status. */
export class RunCountsDto implements Record<FlowRunStatus, number> {
  RUNNING: number;
  PAUSED: number;
  SUCCEEDED: number;
  FAILED: number;
  TIMEOUT: number;
  STOPPED: number;
  QUOTA_EXCEEDED: number;
  INTERNAL_ERROR: number;
}

/** The runs that were created within a span of time, by status. */
export class RunBucketDto {
  /** The first moment of the span. */
  start: Date;

  /** The first moment after it. */
  end: Date;
  counts: RunCountsDto;
}

export class RunHistogramDto {
  /** Buckets of one width without gaps, the oldest first. There is none when no run matches. */
  data: RunBucketDto[];

  /** The statuses with too many runs to count each: their numbers are estimated from a sample. */
  @ApiProperty({ enum: FLOW_RUN_STATUSES, isArray: true })
  estimated: FlowRunStatus[];
}

/** Runs of one flow that failed at the same step, with messages that differ only in numbers and ids. */
export class FailureGroupDto {
  flowId: string;
  flowDisplayName: string;
  stepName: string;
  stepDisplayName: string;

  /** A short hash of the common part of the messages. */
  fingerprint: string;

  /** The message of the run that failed last. */
  message: string;
  count: number;
  firstSeen: Date;
  lastSeen: Date;
  lastRunId: string;
}

export class FailureGroupsDto {
  /** The groups, the most frequent first. */
  data: FailureGroupDto[];
}

export class LastRunDto {
  id: string;

  @ApiProperty({ enum: FLOW_RUN_STATUSES })
  status: FlowRunStatus;
  created: Date;
  finishTime: Date | null;
}

/** What a list of flows shows of the runs of one. Archived runs and test runs do not count. */
export class FlowRunSummaryDto {
  flowId: string;

  /** The newest run; null when there is none. */
  @ApiProperty({ type: LastRunDto, nullable: true })
  lastRun: LastRunDto | null;

  /** The number of runs since `createdAfter`. Runs beyond 100 are not counted, so 100 means as many or more. */
  runs: number;

  /** How many of them have failed, counted in the same way. */
  failed: number;
}

export class FlowRunSummariesDto {
  /** One for each flow, in the order in which they were asked for. */
  data: FlowRunSummaryDto[];
}
