import type { Principal } from '@millrace/domain';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { ProjectPagedQueryDto } from '../rest/paged-query.dto';
import { AddMemberDto, ChangeMemberDto, ProjectMemberDto, ProjectMemberPageDto } from './project-member.dto';
import { ProjectMembersService } from './project-members.service';

@ApiTags('project members')
@ApiBearerAuth()
@Controller('api/v1/project-members')
export class ProjectMembersController {
  constructor(private readonly members: ProjectMembersService) {}

  /** Lists the members of a project with their roles, newest first. */
  @Requires('READ_MEMBER')
  @Get()
  list(@CurrentPrincipal() principal: Principal, @Query() query: ProjectPagedQueryDto): Promise<ProjectMemberPageDto> {
    return this.members.list(principal, query);
  }

  /** Gives a user of another project of yours a role in a project. */
  @Requires('WRITE_MEMBER')
  @Post()
  add(@CurrentPrincipal() principal: Principal, @Body() body: AddMemberDto): Promise<ProjectMemberDto> {
    return this.members.add(principal, body);
  }

  /**
   * Changes the role of a member. Keys that the member has made and that may do more are revoked, and so are the
   * invitations of a former administrator.
   */
  @Requires('WRITE_MEMBER')
  @Post(':id')
  @HttpCode(200)
  change(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Body() body: ChangeMemberDto,
  ): Promise<ProjectMemberDto> {
    return this.members.change(principal, id, body.role);
  }

  /** Removes a member. The keys and open invitations that the member has made in the project are revoked. */
  @Requires('WRITE_MEMBER')
  @Delete(':id')
  @HttpCode(204)
  remove(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<void> {
    return this.members.remove(principal, id);
  }
}
