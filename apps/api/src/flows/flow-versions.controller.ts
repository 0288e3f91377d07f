import type { Principal } from '@millrace/domain';
import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { PagedQueryDto } from '../rest/paged-query.dto';
import { TemplateExportDto } from './flow-export.dto';
import { FlowVersionPageDto, VersionCheckDto, VersionQueryDto } from './flow-version.dto';
import { FlowVersionsService } from './flow-versions.service';
import { VersionDiffDto } from './version-diff.dto';

@ApiTags('flows')
@ApiBearerAuth()
@Controller('api/v1/flows/:id')
export class FlowVersionsController {
  constructor(private readonly versions: FlowVersionsService) {}

  /** Lists the versions of a flow, newest first, without their steps. */
  @Requires('READ_FLOW')
  @Get('versions')
  list(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Query() query: PagedQueryDto,
  ): Promise<FlowVersionPageDto> {
    return this.versions.list(principal, id, query);
  }

  /** Compares two versions of a flow. */
  @Requires('READ_FLOW')
  @Get('versions/:from/diff/:to')
  diff(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Param('from') from: string,
    @Param('to') to: string,
  ): Promise<VersionDiffDto> {
    return this.versions.diff(principal, id, from, to);
  }

  /** Exports a version of a flow as a template. Default: the latest version. */
  @Requires('READ_FLOW')
  @Get('template')
  export(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Query() query: VersionQueryDto,
  ): Promise<TemplateExportDto> {
    return this.versions.export(principal, id, query.versionId);
  }

  /** Checks whether the latest version can be published, and lists the problems of each step. */
  @Requires('READ_FLOW')
  @Post('check')
  @HttpCode(200)
  check(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<VersionCheckDto> {
    return this.versions.check(principal, id);
  }
}
