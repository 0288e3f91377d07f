import {
  FLOW_RUN_STATUSES,
  isFinal,
  isId,
  type FlowRunFilter,
  type FlowRunStatus,
  type RunEnvironment,
} from '@millrace/domain';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsBoolean, IsIn, IsString } from 'class-validator';
import { MayBeLeftOut } from '../rest/may-be-left-out.decorator';
import { IsMoment } from '../rest/moment.decorator';
import { ENVIRONMENTS, MAX_LIST_ITEMS } from './run-filter.dto';

const MAX_IDS = 10_000;
const TOO_MANY = { message: `must name at most ${MAX_IDS} runs; send more in several calls.` };
const EMPTY = { message: 'must not be empty; leave it out to mean all.' };

/** The statuses of runs that can be cancelled. */
export const CANCELLABLE: readonly FlowRunStatus[] = ['PAUSED', 'RUNNING'];
export const ARCHIVABLE: readonly FlowRunStatus[] = FLOW_RUN_STATUSES.filter(isFinal);

/**
 * Selects the runs of a bulk call. A missing filter selects every run, so a client must not leave one out by mistake: no
 * filter may be null.
 */
export class BulkSelectionDto {
  /** The project. It may be left out when the caller has a role in only one project. */
  @MayBeLeftOut()
  @IsString()
  projectId?: string;

  /** Selects exactly these runs, whatever the other filters say. */
  @MayBeLeftOut()
  @IsArray()
  @ArrayMaxSize(MAX_IDS, TOO_MANY)
  @IsString({ each: true })
  flowRunIds?: string[];

  /** Excludes these runs from the selection. Cancelling a run also spares these runs when they are below it. */
  @MayBeLeftOut()
  @IsArray()
  @ArrayMaxSize(MAX_IDS, TOO_MANY)
  @IsString({ each: true })
  excludeFlowRunIds?: string[];

  @MayBeLeftOut()
  @IsString()
  flowId?: string;

  /** Selects runs that this run started. */
  @MayBeLeftOut()
  @IsString()
  parentRunId?: string;

  /** Selects runs that retry or rerun this run. */
  @MayBeLeftOut()
  @IsString()
  retryOfRunId?: string;

  /** Selects runs that have all of these tags. */
  @MayBeLeftOut()
  @IsArray()
  @ArrayNotEmpty(EMPTY)
  @ArrayMaxSize(MAX_LIST_ITEMS)
  @IsString({ each: true })
  tags?: string[];

  /** Selects runs of this environment. Default: both environments. */
  @MayBeLeftOut()
  @IsIn(ENVIRONMENTS)
  environment?: RunEnvironment;

  /** Selects runs that were created at this moment or later. A date alone means its first moment in UTC. */
  @MayBeLeftOut()
  @IsMoment()
  createdAfter?: Date;

  /** Selects runs that were created before this moment. A date alone means its first moment in UTC. */
  @MayBeLeftOut()
  @IsMoment()
  createdBefore?: Date;

  /** When true, the call changes nothing and only counts the runs. */
  @MayBeLeftOut()
  @IsBoolean()
  dryRun?: boolean = false;
}

export class CancelRunsDto extends BulkSelectionDto {
  @MayBeLeftOut()
  @IsArray()
  @ArrayNotEmpty(EMPTY)
  @IsIn(CANCELLABLE, { each: true })
  status?: FlowRunStatus[];
}

export class ArchiveRunsDto extends BulkSelectionDto {
  @MayBeLeftOut()
  @IsArray()
  @ArrayNotEmpty(EMPTY)
  @IsIn(ARCHIVABLE, { each: true })
  status?: FlowRunStatus[];

  /** Selects runs that failed at the step with this name. */
  @MayBeLeftOut()
  @IsString()
  failedStepName?: string;

  /** Selects runs that failed with a message of this fingerprint, as the groups of failures name it. */
  @MayBeLeftOut()
  @IsString()
  fingerprint?: string;
}

export class CancelledDto {
  /** The number of selected runs that this call stopped, or would have stopped with `dryRun`. */
  cancelled: number;
}

export class ArchivedDto {
  /** The number of runs that this call archived, or would have archived with `dryRun`. */
  archived: number;
}

/**
 * Returns the filter of a bulk call. It never selects runs with a status outside `qualifying`, even when they are
 * named.
 */
export function bulkFilter(
  projectId: string,
  body: BulkSelectionDto & { status?: readonly FlowRunStatus[]; failedStepName?: string; fingerprint?: string },
  qualifying: readonly FlowRunStatus[],
): FlowRunFilter {
  const { flowRunIds, excludeFlowRunIds, flowId, tags, environment, failedStepName, fingerprint } = body;
  const { createdAfter, createdBefore, parentRunId, retryOfRunId } = body;
  if (flowRunIds) return { projectId, status: qualifying, flowRunIds: flowRunIds.filter(isId) };
  return {
    projectId,
    status: body.status ?? qualifying,
    excludeFlowRunIds: excludeFlowRunIds?.filter(isId),
    flowId,
    parentRunId,
    retryOfRunId,
    tags,
    environment,
    failedStepName,
    fingerprint,
    createdAfter,
    createdBefore,
  };
}
