import { PROJECT_ROLES, type ProjectRole } from '@millrace/domain';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { PageDto } from '../rest/page.dto';

export class InviteUserDto {
  /** Only a user with this address can accept. Upper and lower case are equal. */
  @IsString()
  @MaxLength(320)
  @Matches(/^[^\s@]+@[^\s@]+$/, { message: 'must be an e-mail address.' })
  email: string;

  @IsIn(PROJECT_ROLES)
  role: ProjectRole;

  /** The project. It may be left out when the caller has a role in only one project. */
  @IsOptional()
  @IsString()
  projectId?: string | null;
}

export class AcceptInvitationDto {
  @IsString()
  @MaxLength(200)
  token: string;
}

export class UserInvitationDto {
  id: string;
  projectId: string;
  email: string;

  @ApiProperty({ enum: PROJECT_ROLES })
  role: ProjectRole;

  invitedBy: string;
  /** Until then the invitation can be accepted, once. */
  expires: Date;
  created: Date;
}

export class CreatedInvitationDto extends UserInvitationDto {
  /** What the invited person needs. It cannot be read again later. */
  token: string;
}

export class UserInvitationPageDto extends PageDto {
  data: UserInvitationDto[];
}

export class MembershipDto {
  id: string;
  projectId: string;
  userId: string;

  @ApiProperty({ enum: PROJECT_ROLES })
  role: ProjectRole;

  created: Date;
  updated: Date;
}
