import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { IsDisplayName } from '../rest/display-name.decorator';
import { PageDto } from '../rest/page.dto';

export class CreateFolderDto {
  /** The name of the folder. It is unique in the project; upper and lower case are equal. */
  @ApiProperty({ example: 'Marketing' })
  @IsDisplayName()
  displayName: string;

  /** The project. It may be left out when the caller has a role in only one project. */
  @IsOptional()
  @IsString()
  projectId?: string | null;
}

export class RenameFolderDto {
  /** The name of the folder. It is unique in the project; upper and lower case are equal. */
  @ApiProperty({ example: 'Marketing' })
  @IsDisplayName()
  displayName: string;
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
