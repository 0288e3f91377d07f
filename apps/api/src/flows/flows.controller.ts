import type { Principal } from '@millrace/domain';
import { BodyLimits } from '@millrace/http';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { CreateFlowDto, FlowDto, FlowOperationDto, ReadFlowQueryDto } from './flow.dto';
import { FlowsService } from './flows.service';
import { IMPORT_BODY_LIMIT } from './import-body-limit';

@ApiTags('flows')
@ApiBearerAuth()
@Controller('api/v1/flows')
export class FlowsController {
  constructor(private readonly flows: FlowsService) {}

  /** Creates a flow: disabled, with an empty draft. */
  @Post()
  create(@CurrentPrincipal() principal: Principal, @Body() body: CreateFlowDto): Promise<FlowDto> {
    return this.flows.create(principal, body);
  }

  /** Reads a flow with its latest version, or with the version asked for. */
  @Get(':id')
  read(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Query() query: ReadFlowQueryDto,
  ): Promise<FlowDto> {
    return this.flows.read(principal, id, query.versionId);
  }

  /** Applies an operation and answers the whole flow. */
  @Post(':id')
  @HttpCode(200)
  @BodyLimits(IMPORT_BODY_LIMIT)
  @ApiBody({ type: FlowOperationDto })
  operate(@CurrentPrincipal() principal: Principal, @Param('id') id: string, @Body() body: unknown): Promise<FlowDto> {
    return this.flows.operate(principal, id, body);
  }

  /** Deletes the definition; runs and their history remain. */
  @Delete(':id')
  @HttpCode(204)
  delete(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<void> {
    return this.flows.delete(principal, id);
  }
}
