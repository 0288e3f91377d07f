import { FILE_TYPES, MAX_FILE_NAME_LENGTH, MAX_FILES_DELETED, type FileType } from '@millrace/domain';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsOptional, IsString, MaxLength } from 'class-validator';

const SENT_BY_USERS: readonly FileType[] = ['FILE'];
const MAX_PROOF_LENGTH = 100;

export class UploadFileQueryDto {
  /** Required, unless the caller has a role in one project only. */
  @IsOptional()
  @IsString()
  projectId?: string;

  @ApiPropertyOptional({ example: 'orders.csv', default: 'file', maxLength: MAX_FILE_NAME_LENGTH })
  @IsOptional()
  @IsString()
  name?: string;

  /** The service makes files of the other types itself. */
  @ApiPropertyOptional({ enum: SENT_BY_USERS, default: 'FILE' })
  @IsOptional()
  @IsIn(SENT_BY_USERS)
  type?: FileType;
}

export class FileLinkQueryDto {
  /** From a signed link: seconds since 1970. */
  @IsOptional()
  @IsString()
  @MaxLength(MAX_PROOF_LENGTH)
  expires?: string;

  /** From a signed link. */
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

  /** The run that the file belongs to. */
  @ApiProperty({ type: 'string', nullable: true })
  runId: string | null;

  /** Shows the file for 7 days to whoever has it. */
  url: string;

  created: Date;
}

export class FileLinkDto {
  /** Shows the file to whoever has it. */
  url: string;

  /** From then on the link shows nothing. */
  expires: Date;
}
