import { schemaRef, type Principal } from '@millrace/domain';
import { BodyLimits } from '@millrace/http';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { FLOW_BODY_LIMIT } from '../flows/flow-body-limits';
import { ProjectPagedQueryDto } from '../rest/paged-query.dto';
import { TemplateDto, TemplatePageDto } from './template.dto';
import { TemplatesService } from './templates.service';

@ApiTags('templates')
@ApiBearerAuth()
@Controller('api/v1/templates')
export class TemplatesController {
  constructor(private readonly templates: TemplatesService) {}

  /** Lists the templates of a project, newest first, without their definitions. */
  @Requires('READ_FLOW')
  @Get()
  list(@CurrentPrincipal() principal: Principal, @Query() query: ProjectPagedQueryDto): Promise<TemplatePageDto> {
    return this.templates.list(principal, query);
  }

  /** Stores a definition, or a version of a flow, as a template for new flows. */
  @Requires('WRITE_FLOW')
  @Post()
  @BodyLimits(FLOW_BODY_LIMIT)
  @ApiBody({ schema: schemaRef('CreateTemplate') })
  create(@CurrentPrincipal() principal: Principal, @Body() body: unknown): Promise<TemplateDto> {
    return this.templates.create(principal, body);
  }

  /** Reads a template with its definition. */
  @Requires('READ_FLOW')
  @Get(':id')
  read(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<TemplateDto> {
    return this.templates.read(principal, id);
  }

  /** Deletes a template. Flows made from it remain. */
  @Requires('WRITE_FLOW')
  @Delete(':id')
  @HttpCode(204)
  delete(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<void> {
    return this.templates.delete(principal, id);
  }
}
