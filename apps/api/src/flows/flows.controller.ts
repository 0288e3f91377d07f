import { permissionOfOperation, type Principal } from '@millrace/domain';
import { BodyLimits } from '@millrace/http';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, UseInterceptors } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires, RequiresByBody } from '../auth/requires.decorator';
import { CreateFlowDto } from './create-flow.dto';
import { EditorNames } from './editor-names';
import { FlowAnswer } from './flow-answer';
import { OPERATION_BODY_LIMIT } from './flow-body-limits';
import { FlowCreation } from './flow-creation.service';
import { FlowOperationDto } from './flow-operation.dto';
import { FlowOperations } from './flow-operations.service';
import { VersionQueryDto } from './flow-version.dto';
import { FlowCountDto, FlowDto, FlowPageDto } from './flow.dto';
import { FlowsService } from './flows.service';
import { IfMatch } from './if-match.decorator';
import { CountFlowsQueryDto, ListFlowsQueryDto } from './list-flows.dto';

@ApiTags('flows')
@ApiBearerAuth()
@Controller('api/v1/flows')
export class FlowsController {
  constructor(
    private readonly flows: FlowsService,
    private readonly creation: FlowCreation,
    private readonly operations: FlowOperations,
  ) {}

  /** Lists the flows of a project, newest first, each with its latest version without steps. */
  @Requires('READ_FLOW')
  @Get()
  list(@CurrentPrincipal() principal: Principal, @Query() query: ListFlowsQueryDto): Promise<FlowPageDto> {
    return this.flows.list(principal, query);
  }

  /** Creates a disabled flow. Its draft is empty, or starts from a template. */
  @Requires('WRITE_FLOW')
  @Post()
  @UseInterceptors(FlowAnswer)
  create(@CurrentPrincipal() principal: Principal, @Body() body: CreateFlowDto): Promise<FlowDto> {
    return this.creation.create(principal, body);
  }

  /** Counts the flows of a project, or of one of its folders. */
  @Requires('READ_FLOW')
  @Get('count')
  async count(@CurrentPrincipal() principal: Principal, @Query() query: CountFlowsQueryDto): Promise<FlowCountDto> {
    return { count: await this.flows.count(principal, query) };
  }

  /** Reads a flow with one of its versions. Default: the latest version. */
  @Requires('READ_FLOW')
  @Get(':id')
  @UseInterceptors(FlowAnswer)
  read(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Query() query: VersionQueryDto,
  ): Promise<FlowDto> {
    return this.flows.read(principal, id, query.versionId);
  }

  /** Applies an operation, and answers the whole flow. */
  @RequiresByBody(['WRITE_FLOW', 'UPDATE_FLOW_STATUS'], permissionOfOperation)
  @Post(':id')
  @HttpCode(200)
  @BodyLimits(OPERATION_BODY_LIMIT)
  @UseInterceptors(FlowAnswer, EditorNames)
  @ApiBody({ type: FlowOperationDto })
  operate(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Body() body: unknown,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<FlowDto> {
    return this.operations.apply(principal, id, body, ifMatch);
  }

  /** Deletes the flow. Its runs remain. */
  @Requires('WRITE_FLOW')
  @Delete(':id')
  @HttpCode(204)
  delete(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<void> {
    return this.operations.delete(principal, id, ifMatch);
  }
}
