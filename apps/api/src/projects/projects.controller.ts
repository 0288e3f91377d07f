import type { Principal } from '@millrace/domain';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires, RequiresCredentials } from '../auth/requires.decorator';
import { PagedQueryDto } from '../rest/paged-query.dto';
import { ProjectDto, ProjectPageDto, ProjectRequestDto } from './project.dto';
import { ProjectsService } from './projects.service';

@ApiTags('projects')
@ApiBearerAuth()
@Controller('api/v1/projects')
export class ProjectsController {
  constructor(private readonly projects: ProjectsService) {}

  /** Lists the projects in which the caller has a role, newest first. */
  @Requires('READ_PROJECT')
  @Get()
  list(@CurrentPrincipal() principal: Principal, @Query() query: PagedQueryDto): Promise<ProjectPageDto> {
    return this.projects.list(principal, query);
  }

  /** Creates a project that the caller owns. Every user can, and keys of the platform; the key of a project cannot. */
  @RequiresCredentials()
  @Post()
  create(@CurrentPrincipal() principal: Principal, @Body() body: ProjectRequestDto): Promise<ProjectDto> {
    return this.projects.create(principal, body.displayName);
  }

  /** Reads a project. */
  @Requires('READ_PROJECT')
  @Get(':id')
  read(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<ProjectDto> {
    return this.projects.read(principal, id);
  }

  /** Deletes a project with all it has. Its runs are stopped and cannot be read any more. */
  @Requires('WRITE_PROJECT')
  @Delete(':id')
  @HttpCode(204)
  delete(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<void> {
    return this.projects.delete(principal, id);
  }

  /** Renames a project. */
  @Requires('WRITE_PROJECT')
  @Post(':id')
  @HttpCode(200)
  rename(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Body() body: ProjectRequestDto,
  ): Promise<ProjectDto> {
    return this.projects.rename(principal, id, body.displayName);
  }
}
