import { FLOW_STATUSES, type FlowFilter, type FlowStatus, type FlowVersionState } from '@millrace/domain';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsIn, IsOptional, IsString } from 'class-validator';
import { asList, PagedQueryDto } from '../rest/paged-query.dto';

const MAX_LIST_ITEMS = 100;
const VERSION_STATES: readonly FlowVersionState[] = ['DRAFT', 'LOCKED'];
const NO_FOLDER = 'NULL';

export class ListFlowsQueryDto extends PagedQueryDto {
  @IsString()
  projectId: string;

  /** Flows in this folder; `NULL`: flows in no folder. */
  @IsOptional()
  @IsString()
  folderId?: string;

  /** Flows in any of these states. */
  @ApiPropertyOptional({ enum: FLOW_STATUSES, isArray: true })
  @IsOptional()
  @Transform(asList)
  @ArrayMaxSize(MAX_LIST_ITEMS)
  @IsIn(FLOW_STATUSES, { each: true })
  status?: FlowStatus[];

  /** A part of the name, whatever the case of its letters. */
  @IsOptional()
  @IsString()
  name?: string;

  /** Of the latest version. */
  @ApiPropertyOptional({ enum: VERSION_STATES })
  @IsOptional()
  @IsIn(VERSION_STATES)
  versionState?: FlowVersionState;

  @IsOptional()
  @Transform(asList)
  @ArrayMaxSize(MAX_LIST_ITEMS)
  @IsString({ each: true })
  externalIds?: string[];

  /** Flows whose latest version uses any of these connections. */
  @IsOptional()
  @Transform(asList)
  @ArrayMaxSize(MAX_LIST_ITEMS)
  @IsString({ each: true })
  connectionExternalIds?: string[];

  /** Flows whose latest version uses any of these agents. */
  @IsOptional()
  @Transform(asList)
  @ArrayMaxSize(MAX_LIST_ITEMS)
  @IsString({ each: true })
  agentExternalIds?: string[];
}

export class CountFlowsQueryDto {
  @IsString()
  projectId: string;

  /** Flows in this folder; `NULL`: flows in no folder. */
  @IsOptional()
  @IsString()
  folderId?: string;
}

/** The filter that a query stands for. An empty name filters nothing. */
export function flowFilter(projectId: string, query: ListFlowsQueryDto): FlowFilter {
  const { status, name, versionState, externalIds, connectionExternalIds, agentExternalIds } = query;
  return {
    projectId,
    folderId: folderFilter(query),
    status,
    name: name || undefined,
    versionState,
    externalIds,
    connectionExternalIds,
    agentExternalIds,
  };
}

export const folderFilter = ({ folderId }: CountFlowsQueryDto): string | null | undefined =>
  folderId === NO_FOLDER ? null : folderId;
