import {
  FLOW_RUN_STATUSES,
  isFinal,
  isId,
  type FlowRunFilter,
  type FlowRunStatus,
  type RunEnvironment,
} from '@millrace/domain';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsBoolean, IsIn, IsString, ValidateIf } from 'class-validator';
import { IsMoment } from '../rest/moment.decorator';
import { ENVIRONMENTS, MAX_LIST_ITEMS } from './run-filter.dto';

const MAX_IDS = 10_000;
const TOO_MANY = { message: `must name at most ${MAX_IDS} runs; send more in several calls.` };
const EMPTY = { message: 'must not be empty; leave it out to mean all.' };

/** What a run can be cancelled out of. */
export const CANCELLABLE: readonly FlowRunStatus[] = ['PAUSED', 'RUNNING'];
export const ARCHIVABLE: readonly FlowRunStatus[] = FLOW_RUN_STATUSES.filter(isFinal);

/** Null is refused: where a missing filter means every run, it must not be missing by mistake. */
export const MayBeLeftOut = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined) as PropertyDecorator;

/** Which runs a bulk call is about. */
export class BulkSelectionDto {
  /** May be left out by who has a role in one project only. */
  @MayBeLeftOut()
  @IsString()
  projectId?: string;

  /** These runs, whatever the other filters say. */
  @MayBeLeftOut()
  @IsArray()
  @ArrayMaxSize(MAX_IDS, TOO_MANY)
  @IsString({ each: true })
  flowRunIds?: string[];

  /** All that the other filters select but these; cancelling a run spares those of them that are below it. */
  @MayBeLeftOut()
  @IsArray()
  @ArrayMaxSize(MAX_IDS, TOO_MANY)
  @IsString({ each: true })
  excludeFlowRunIds?: string[];

  @MayBeLeftOut()
  @IsString()
  flowId?: string;

  /** Runs that have all of these tags. */
  @MayBeLeftOut()
  @IsArray()
  @ArrayNotEmpty(EMPTY)
  @ArrayMaxSize(MAX_LIST_ITEMS)
  @IsString({ each: true })
  tags?: string[];

  /** Both when it is left out. */
  @ApiPropertyOptional({ enum: ENVIRONMENTS })
  @MayBeLeftOut()
  @IsIn(ENVIRONMENTS)
  environment?: RunEnvironment;

  /** Runs made at this moment or later. */
  @MayBeLeftOut()
  @IsMoment()
  createdAfter?: Date;

  /** Runs made before this moment. */
  @MayBeLeftOut()
  @IsMoment()
  createdBefore?: Date;

  /** Only counts the runs. */
  @ApiPropertyOptional({ type: 'boolean', default: false })
  @MayBeLeftOut()
  @IsBoolean()
  dryRun?: boolean;
}

export class CancelRunsDto extends BulkSelectionDto {
  @ApiPropertyOptional({ enum: CANCELLABLE, isArray: true })
  @MayBeLeftOut()
  @IsArray()
  @ArrayNotEmpty(EMPTY)
  @IsIn(CANCELLABLE, { each: true })
  status?: FlowRunStatus[];
}

export class ArchiveRunsDto extends BulkSelectionDto {
  @ApiPropertyOptional({ enum: ARCHIVABLE, isArray: true })
  @MayBeLeftOut()
  @IsArray()
  @ArrayNotEmpty(EMPTY)
  @IsIn(ARCHIVABLE, { each: true })
  status?: FlowRunStatus[];

  /** The name of the step at which runs failed. */
  @MayBeLeftOut()
  @IsString()
  failedStepName?: string;
}

export class CancelledDto {
  /** How many of the runs this call stopped, or would have. */
  cancelled: number;
}

export class ArchivedDto {
  /** How many of the runs this call archived, or would have. */
  archived: number;
}

/** The filter that a bulk call stands for. Runs outside of `qualifying` are left alone, named or not. */
export function bulkFilter(
  projectId: string,
  body: BulkSelectionDto & { status?: readonly FlowRunStatus[]; failedStepName?: string },
  qualifying: readonly FlowRunStatus[],
): FlowRunFilter {
  const { flowRunIds, excludeFlowRunIds, flowId, tags, environment, failedStepName } = body;
  const { createdAfter, createdBefore } = body;
  if (flowRunIds) return { projectId, status: qualifying, flowRunIds: flowRunIds.filter(isId) };
  return {
    projectId,
    status: body.status ?? qualifying,
    excludeFlowRunIds: excludeFlowRunIds?.filter(isId),
    flowId,
    tags,
    environment,
    failedStepName,
    createdAfter,
    createdBefore,
  };
}
