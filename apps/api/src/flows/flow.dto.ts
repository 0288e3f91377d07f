import type { FlowOperationType, FlowStatus, FlowVersionState } from '@millrace/domain';
import { FLOW_OPERATION_TYPES } from '@millrace/domain';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsObject, IsOptional, IsString, MaxLength } from 'class-validator';
import { IsDisplayName } from '../display-name.decorator';
import { IsSmallJson } from './small-json.decorator';

const MAX_METADATA_BYTES = 16 * 1024;

export class CreateFlowDto {
  @IsDisplayName()
  displayName: string;

  @IsString()
  projectId: string;

  /** Used in place of the flow's id to find it from outside. */
  @IsOptional()
  @IsString()
  @MaxLength(255)
  externalId?: string;

  @IsOptional()
  @IsString()
  folderId?: string | null;

  @IsOptional()
  @IsString()
  folderName?: string;

  @IsOptional()
  @IsString()
  templateId?: string | null;

  /** Kept with the flow and given back; at most 16 KB. */
  @IsOptional()
  @Transform(({ obj }: { obj: { metadata?: unknown } }) => obj.metadata)
  @IsObject()
  @IsSmallJson(MAX_METADATA_BYTES)
  metadata?: Record<string, unknown> | null;
}

export class ReadFlowQueryDto {
  /** Selects a version in place of the latest. */
  @IsOptional()
  @IsString()
  versionId?: string;
}

/** The body of a flow operation. Its request is checked by the operation's own rule. */
export class FlowOperationDto {
  @ApiProperty({ enum: FLOW_OPERATION_TYPES })
  type: FlowOperationType;

  @ApiProperty({ type: 'object', additionalProperties: true })
  request: Record<string, unknown>;
}

export class FlowVersionDto {
  id: string;
  flowId: string;
  displayName: string;

  /** The head of the chain of steps. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  trigger: object;

  valid: boolean;
  schemaVersion: string;

  @ApiProperty({ enum: ['DRAFT', 'LOCKED'] })
  state: FlowVersionState;

  @ApiProperty({ type: 'array', items: {} })
  notes: unknown[];

  created: Date;
  updated: Date;
  /** A user's id, or `api_key:<id>`. */
  updatedBy: string;
}

export class FlowDto {
  id: string;
  projectId: string;
  externalId: string;
  ownerId: string;

  @ApiProperty({ type: 'string', nullable: true })
  folderId: string | null;

  @ApiProperty({ enum: ['ENABLED', 'DISABLED'] })
  status: FlowStatus;

  @ApiProperty({ type: 'string', nullable: true })
  publishedVersionId: string | null;

  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true })
  metadata: Record<string, unknown> | null;

  @ApiProperty({ enum: ['NONE'] })
  operationStatus: 'NONE';

  @ApiProperty({ type: 'number', nullable: true })
  timeSavedPerRun: number | null;

  @ApiProperty({ type: 'string', nullable: true })
  templateId: string | null;

  version: FlowVersionDto;
  created: Date;
  updated: Date;
}
