import { PROJECT_ROLES, type ProjectRole } from '@millrace/domain';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { IsEmailAddress } from '../rest/email-address.decorator';
import { PageDto } from '../rest/page.dto';

export class InviteUserDto {
  /** Only a user with this address can accept. Upper and lower case are equal. */
  @IsEmailAddress()
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
