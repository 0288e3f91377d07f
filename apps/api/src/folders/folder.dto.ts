import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { IsDisplayName } from '../rest/display-name.decorator';
import { PageDto } from '../rest/page.dto';
import { PagedQueryDto } from '../rest/paged-query.dto';

export class CreateFolderDto {
  /** Unique in the project, whatever the case of its letters. */
  @ApiProperty({ example: 'Marketing' })
  @IsDisplayName()
  displayName: string;

  /** Required, unless the caller has a role in one project only. */
  @IsOptional()
  @IsString()
  projectId?: string;
}

export class RenameFolderDto {
  /** Unique in the project, whatever the case of its letters. */
  @ApiProperty({ example: 'Marketing' })
  @IsDisplayName()
  displayName: string;
}

export class ListFoldersQueryDto extends PagedQueryDto {
  /** Required, unless the caller has a role in one project only. */
  @IsOptional()
  @IsString()
  projectId?: string;
}

export class FolderDto {
  id: string;
  projectId: string;

  @ApiProperty({ example: 'Marketing' })
  displayName: string;

  created: Date;
  updated: Date;
}

export class FolderPageDto extends PageDto {
  data: FolderDto[];
}
