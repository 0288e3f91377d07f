import type { Principal } from '@millrace/domain';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { FlowRunDetailDto, FlowRunPageDto, ListRunsQueryDto } from './run.dto';
import { RunsService } from './runs.service';

@ApiTags('flow runs')
@ApiBearerAuth()
@Controller('api/v1/flow-runs')
export class RunsController {
  constructor(private readonly runs: RunsService) {}

  /** Lists the runs of a project, newest first, without their steps. */
  @Get()
  list(@CurrentPrincipal() principal: Principal, @Query() query: ListRunsQueryDto): Promise<FlowRunPageDto> {
    return this.runs.list(principal, query);
  }

  /** Reads a run with what its steps did. */
  @Get(':id')
  read(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<FlowRunDetailDto> {
    return this.runs.read(principal, id);
  }
}
