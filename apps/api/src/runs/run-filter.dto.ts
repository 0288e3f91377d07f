import {
  FLOW_RUN_STATUSES,
  MOST_BUCKETS,
  type FlowRunFilter,
  type FlowRunStatus,
  type RunEnvironment,
  type WaitKind,
} from '@millrace/domain';
import { IntersectionType, PickType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayNotEmpty, IsBoolean, IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { IsMoment } from '../rest/moment.decorator';
import { asList, asWholeNumber, PagedQueryDto } from '../rest/paged-query.dto';

export const MAX_LIST_ITEMS = 100;
export const DEFAULT_BUCKETS = 50;
const WAIT_KINDS: readonly WaitKind[] = ['timer', 'human', 'child'];
export const ENVIRONMENTS: readonly RunEnvironment[] = ['PRODUCTION', 'TESTING'];

const asFlag = ({ value }: { value: unknown }): unknown =>
  value === 'true' || value === 'false' ? value === 'true' : value;

/** Selects runs of a project. A filter that is left out selects every run. */
export class RunFilterQueryDto {
  @IsString()
  projectId: string;

  @IsOptional()
  @IsString()
  flowId?: string;

  /** Selects runs with any of these statuses. */
  @IsOptional()
  @Transform(asList)
  @ArrayMaxSize(MAX_LIST_ITEMS)
  @IsIn(FLOW_RUN_STATUSES, { each: true })
  status?: FlowRunStatus[];

  /** Selects runs that have all of these tags. */
  @IsOptional()
  @Transform(asList)
  @ArrayMaxSize(MAX_LIST_ITEMS)
  @IsString({ each: true })
  tags?: string[];

  /** Selects runs that failed at the step with this name. */
  @IsOptional()
  @IsString()
  failedStepName?: string;

  /** Selects runs that failed with a message of this fingerprint, as the groups of failures name it. */
  @IsOptional()
  @IsString()
  fingerprint?: string;

  /** Selects paused runs that wait for a timer, a person (`human`) or a child run. */
  @IsOptional()
  @IsIn(WAIT_KINDS)
  waitingOn?: WaitKind;

  /** Selects runs that were created at this moment or later. A date alone means its first moment in UTC. */
  @IsOptional()
  @IsMoment()
  createdAfter?: Date;

  /** Selects runs that were created before this moment. A date alone means its first moment in UTC. */
  @IsOptional()
  @IsMoment()
  createdBefore?: Date;

  @IsOptional()
  @Transform(asList)
  @ArrayMaxSize(MAX_LIST_ITEMS)
  @IsString({ each: true })
  flowRunIds?: string[];

  /** Selects runs that this run started. */
  @IsOptional()
  @IsString()
  parentRunId?: string;

  /** Selects runs that retry or rerun this run. */
  @IsOptional()
  @IsString()
  retryOfRunId?: string;

  /** When true, selects archived runs too. */
  @IsOptional()
  @Transform(asFlag)
  @IsBoolean()
  includeArchived?: boolean = false;

  /** Selects runs of this environment. Default: both environments. */
  @IsOptional()
  @IsIn(ENVIRONMENTS)
  environment?: RunEnvironment;
}

export class ListRunsQueryDto extends IntersectionType(RunFilterQueryDto, PagedQueryDto) {}

export class ReadRunQueryDto {
  /**
   * Leaves out the steps when they are larger than this as JSON, in bytes; `stepsBytes` then says how large they are.
   * Default: they are never left out.
   */
  @IsOptional()
  @Transform(asWholeNumber)
  @IsInt()
  @Min(0)
  maxStepsBytes?: number;
}

export class RunHistogramQueryDto extends RunFilterQueryDto {
  /** How many buckets there are at most. */
  @IsOptional()
  @Transform(asWholeNumber)
  @IsInt()
  @Min(1)
  @Max(MOST_BUCKETS)
  buckets?: number = DEFAULT_BUCKETS;
}

export class ListFailuresQueryDto extends IntersectionType(
  PickType(RunFilterQueryDto, ['projectId', 'flowId', 'createdAfter', 'createdBefore', 'includeArchived'] as const),
  PickType(PagedQueryDto, ['limit'] as const),
) {}

export class RunSummariesQueryDto {
  @IsString()
  projectId: string;

  /** The flows to tell of. */
  @Transform(asList)
  @ArrayNotEmpty()
  @ArrayMaxSize(MAX_LIST_ITEMS)
  @IsString({ each: true })
  flowIds: string[];

  /** Runs that were created at this moment or later are counted. A date alone means its first moment in UTC. */
  @IsOptional()
  @IsMoment()
  createdAfter?: Date;
}

/** Returns the filter of a query. */
export function runFilter(query: RunFilterQueryDto): FlowRunFilter {
  const { projectId, flowId, status, tags, failedStepName, createdAfter, createdBefore } = query;
  const { flowRunIds, parentRunId, retryOfRunId, includeArchived, environment, fingerprint, waitingOn } = query;
  return {
    projectId,
    flowId,
    status,
    tags,
    failedStepName,
    fingerprint,
    waitingOn,
    createdAfter,
    createdBefore,
    flowRunIds,
    parentRunId,
    retryOfRunId,
    includeArchived,
    environment,
  };
}
