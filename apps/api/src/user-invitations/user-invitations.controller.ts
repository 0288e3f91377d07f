import type { Principal } from '@millrace/domain';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires, RequiresCredentials } from '../auth/requires.decorator';
import { ProjectMemberDto } from '../project-members/project-member.dto';
import { ProjectPagedQueryDto } from '../rest/paged-query.dto';
import { AcceptInvitationDto, CreatedInvitationDto, InviteUserDto, UserInvitationPageDto } from './user-invitation.dto';
import { UserInvitationsService } from './user-invitations.service';

@ApiTags('user invitations')
@ApiBearerAuth()
@Controller('api/v1/user-invitations')
export class UserInvitationsController {
  constructor(private readonly invitations: UserInvitationsService) {}

  /** Lists the open invitations to a project, newest first. */
  @Requires('READ_MEMBER')
  @Get()
  list(@CurrentPrincipal() principal: Principal, @Query() query: ProjectPagedQueryDto): Promise<UserInvitationPageDto> {
    return this.invitations.list(principal, query);
  }

  /**
   * Invites a person to a project, and answers a token for that person. It is valid once, for seven days, and no longer
   * than the key that invites.
   */
  @Requires('WRITE_MEMBER')
  @Post()
  invite(@CurrentPrincipal() principal: Principal, @Body() body: InviteUserDto): Promise<CreatedInvitationDto> {
    return this.invitations.invite(principal, body);
  }

  /** Accepts an invitation as the user who is signed in. */
  @RequiresCredentials()
  @Post('accept')
  @HttpCode(200)
  accept(@CurrentPrincipal() principal: Principal, @Body() body: AcceptInvitationDto): Promise<ProjectMemberDto> {
    return this.invitations.accept(principal, body.token);
  }

  /** Takes an invitation back. */
  @Requires('WRITE_MEMBER')
  @Delete(':id')
  @HttpCode(204)
  delete(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<void> {
    return this.invitations.delete(principal, id);
  }
}
