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

  /** Another id under which clients find the flow. Default: the flow's id. */
  @IsOptional()
  @IsString()
  @Length(1, 255)
  externalId?: string | null;

  /** The id of a folder of the project. Default: no folder. */
  @IsOptional()
  @IsString()
  folderId?: string | null;

  /** The name of a folder, which is created when it does not exist. It is ignored when `folderId` is given. */
  @ApiPropertyOptional({ example: 'Marketing' })
  @ValidateIf(({ folderId, folderName }: CreateFlowDto) => isAbsent(folderId) && !isAbsent(folderName))
  @IsDisplayName()
  folderName?: string | null;

  /** The id of a template of the project. The draft starts with the template's trigger, steps and notes. */
  @IsOptional()
  @IsString()
  templateId?: string | null;

  /** Data of the client, stored with the flow. At most 16 KB of JSON. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true, nullable: true, example: { team: 'sales' } })
  @IsOptional()
  @AsItCame()
  @IsObject()
  @IsSmallJson(MAX_METADATA_BYTES)
  metadata?: Record<string, unknown> | null;
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;
