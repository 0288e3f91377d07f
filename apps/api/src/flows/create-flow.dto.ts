import { MAX_METADATA_BYTES } from '@millrace/domain';
import { AsItCame } from '@millrace/http';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsObject, IsOptional, IsString, Length, ValidateIf } from 'class-validator';
import { IsDisplayName } from '../rest/display-name.decorator';
import { IsSmallJson } from './small-json.decorator';

export class CreateFlowDto {
  @ApiProperty({ example: 'Welcome new customers' })
  @IsDisplayName()
  displayName: string;

  @IsString()
  projectId: string;

  /** Used in place of the flow's id to find it from outside. */
  @IsOptional()
  @IsString()
  @Length(1, 255)
  externalId?: string;

  /** A folder of the project. */
  @ApiPropertyOptional({ type: 'string', nullable: true })
  @IsOptional()
  @IsString()
  folderId?: string | null;

  /** The folder of this name, which is made when there is none; ignored when `folderId` is given. */
  @ApiPropertyOptional({ type: 'string', nullable: true, example: 'Marketing' })
  @ValidateIf(({ folderId, folderName }: CreateFlowDto) => isAbsent(folderId) && !isAbsent(folderName))
  @IsDisplayName()
  folderName?: string | null;

  /** A template of the project: the draft starts with its trigger and notes. */
  @ApiPropertyOptional({ type: 'string', nullable: true })
  @IsOptional()
  @IsString()
  templateId?: string | null;

  /** Kept with the flow and given back; at most 16 KB. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true, nullable: true, example: { team: 'sales' } })
  @IsOptional()
  @AsItCame()
  @IsObject()
  @IsSmallJson(MAX_METADATA_BYTES)
  metadata?: Record<string, unknown> | null;
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;
