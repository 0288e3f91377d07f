import { FILE_TYPES, MAX_FILE_NAME_LENGTH, MAX_FILES_DELETED, type FileType } from '@millrace/domain';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsOptional, IsString, MaxLength } from 'class-validator';

const SENT_BY_USERS: readonly FileType[] = ['FILE'];
const MAX_PROOF_LENGTH = 100;

export class UploadFileQueryDto {
  /** The project. It may be left out when the caller has a role in only one project. */
  @IsOptional()
  @IsString()
  projectId?: string;

  @ApiPropertyOptional({ example: 'orders.csv', default: 'file', maxLength: MAX_FILE_NAME_LENGTH })
  @IsOptional()
  @IsString()
  name?: string;

  /** The type of the file. Only the service itself creates files of other types. */
  @IsOptional()
  @IsIn(SENT_BY_USERS)
  type?: FileType = 'FILE';
}

export class FileLinkQueryDto {
  /** When a signed link expires, in seconds since 1970. It is part of the link. */
  @IsOptional()
  @IsString()
  @MaxLength(MAX_PROOF_LENGTH)
  expires?: string;

  /** The signature of a signed link. */
  @IsOptional()
  @IsString()
  @MaxLength(MAX_PROOF_LENGTH)
  signature?: string;
}

export class DeleteFilesDto {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_FILES_DELETED)
  @IsString({ each: true })
  ids: string[];
}

export class FileDto {
  id: string;
  projectId: string;

  @ApiProperty({ enum: FILE_TYPES })
  type: FileType;

  @ApiProperty({ example: 'orders.csv' })
  name: string;

  @ApiProperty({ example: 'text/csv' })
  contentType: string;

  @ApiProperty({ type: 'integer' })
  bytes: number;

  /** The run that the file belongs to; null for a file without a run. */
  @ApiProperty({ type: 'string', nullable: true })
  runId: string | null;

  /** A link that shows the file for 7 days without credentials. */
  url: string;

  created: Date;
}

export class FileLinkDto {
  /** A link that shows the file without credentials. */
  url: string;

  /** When the link expires. */
  expires: Date;
}
