import { PROJECT_ROLES, type ProjectRole } from '@millrace/domain';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';
import { PageDto } from '../rest/page.dto';

export class ChangeMemberDto {
  @IsIn(PROJECT_ROLES)
  role: ProjectRole;
}

export class AddMemberDto extends ChangeMemberDto {
  /** A user who is a member of another project of yours. Everyone else needs an invitation. */
  @IsString()
  userId: string;

  /** The project. It may be left out when the caller has a role in only one project. */
  @IsOptional()
  @IsString()
  projectId?: string | null;
}

export class MemberNameDto {
  email: string;
  firstName: string;
  lastName: string;
}

export class ProjectMemberDto {
  id: string;
  projectId: string;
  userId: string;

  @ApiProperty({ enum: PROJECT_ROLES })
  role: ProjectRole;

  user: MemberNameDto;
  created: Date;
  updated: Date;
}

export class ProjectMemberPageDto extends PageDto {
  data: ProjectMemberDto[];
}
