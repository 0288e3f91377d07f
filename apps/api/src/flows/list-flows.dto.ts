import { FLOW_STATUSES, type FlowFilter, type FlowStatus, type FlowVersionState } from '@millrace/domain';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsIn, IsOptional, IsString } from 'class-validator';
import { asList, PagedQueryDto } from '../rest/paged-query.dto';

const MAX_LIST_ITEMS = 100;
const VERSION_STATES: readonly FlowVersionState[] = ['DRAFT', 'LOCKED'];
const NO_FOLDER = 'NULL';

export class ListFlowsQueryDto extends PagedQueryDto {
  @IsString()
  projectId: string;

  /** Selects flows in the folder with this id. `NULL` selects flows in no folder. */
  @IsOptional()
  @IsString()
  folderId?: string;

  /** Selects flows with any of these statuses. */
  @IsOptional()
  @Transform(asList)
  @ArrayMaxSize(MAX_LIST_ITEMS)
  @IsIn(FLOW_STATUSES, { each: true })
  status?: FlowStatus[];

  /** Selects flows whose name contains this text. Upper and lower case are equal. */
  @IsOptional()
  @IsString()
  name?: string;

  /** Selects flows whose latest version has this state. */
  @IsOptional()
  @IsIn(VERSION_STATES)
  versionState?: FlowVersionState;

  @IsOptional()
  @Transform(asList)
  @ArrayMaxSize(MAX_LIST_ITEMS)
  @IsString({ each: true })
  externalIds?: string[];

  /** Selects flows whose latest version uses any of the connections with these external ids. */
  @IsOptional()
  @Transform(asList)
  @ArrayMaxSize(MAX_LIST_ITEMS)
  @IsString({ each: true })
  connectionExternalIds?: string[];

  /** Selects flows whose latest version uses any of the agents with these external ids. */
  @IsOptional()
  @Transform(asList)
  @ArrayMaxSize(MAX_LIST_ITEMS)
  @IsString({ each: true })
  agentExternalIds?: string[];
}

export class CountFlowsQueryDto {
  @IsString()
  projectId: string;

  /** Selects flows in the folder with this id. `NULL` selects flows in no folder. */
  @IsOptional()
  @IsString()
  folderId?: string;
}

/** Returns the filter of a query. An empty name selects every flow. */
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
