import { PERMISSIONS, type Permission } from '@millrace/domain';
import { ApiProperty } from '@nestjs/swagger';
import { IsDisplayName } from '../rest/display-name.decorator';

export class ProjectRequestDto {
  @IsDisplayName()
  displayName: string;
}

export class ProjectDto {
  id: string;
  displayName: string;
  ownerId: string;

  /** What the caller may do in the project. */
  @ApiProperty({ enum: PERMISSIONS, isArray: true, example: ['READ_FLOW', 'READ_RUN'] })
  permissions: Permission[];

  created: Date;
  updated: Date;
}

export class ProjectPageDto {
  data: ProjectDto[];

  @ApiProperty({ type: 'string', nullable: true })
  next: string | null;

  @ApiProperty({ type: 'string', nullable: true })
  previous: string | null;
}
