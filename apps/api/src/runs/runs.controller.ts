import type { Principal } from '@millrace/domain';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import {
  ListFailuresQueryDto,
  ListRunsQueryDto,
  ReadRunQueryDto,
  RunFilterQueryDto,
  RunHistogramQueryDto,
  RunSummariesQueryDto,
} from './run-filter.dto';
import {
  FailureGroupsDto,
  FlowRunDetailDto,
  FlowRunPageDto,
  FlowRunSummariesDto,
  RunCountDto,
  RunCountsDto,
  RunHistogramDto,
} from './run.dto';
import { RunsService } from './runs.service';

@ApiTags('flow runs')
@ApiBearerAuth()
@Controller('api/v1/flow-runs')
export class RunsController {
  constructor(private readonly runs: RunsService) {}

  /** Lists the runs of a project, newest first, without their steps. */
  @Requires('READ_RUN')
  @Get()
  list(@CurrentPrincipal() principal: Principal, @Query() query: ListRunsQueryDto): Promise<FlowRunPageDto> {
    return this.runs.list(principal, query);
  }

  /** Counts the runs that the list with these filters would show. */
  @Requires('READ_RUN')
  @Get('count')
  async count(@CurrentPrincipal() principal: Principal, @Query() query: RunFilterQueryDto): Promise<RunCountDto> {
    return { count: await this.runs.count(principal, query) };
  }

  /** Counts the runs that the list with these filters would show, by status. */
  @Requires('READ_RUN')
  @Get('count-by-status')
  countByStatus(@CurrentPrincipal() principal: Principal, @Query() query: RunFilterQueryDto): Promise<RunCountsDto> {
    return this.runs.countByStatus(principal, query);
  }

  /**
   * Counts the runs that the list with these filters would show, by status and time of creation. The buckets reach from
   * `createdAfter`, or else from the oldest run, to `createdBefore` or now; their width is one that people count in.
   */
  @Requires('READ_RUN')
  @Get('histogram')
  async histogram(
    @CurrentPrincipal() principal: Principal,
    @Query() query: RunHistogramQueryDto,
  ): Promise<RunHistogramDto> {
    const { buckets, estimated } = await this.runs.histogram(principal, query);
    return { data: buckets, estimated };
  }

  /** Groups failed runs by flow, step and the common part of their messages. */
  @Requires('READ_RUN')
  @Get('failures')
  async failures(
    @CurrentPrincipal() principal: Principal,
    @Query() query: ListFailuresQueryDto,
  ): Promise<FailureGroupsDto> {
    return { data: await this.runs.failures(principal, query) };
  }

  /** Tells the newest run of each flow, and how many runs it had since a moment. */
  @Requires('READ_RUN')
  @Get('summary')
  async summary(
    @CurrentPrincipal() principal: Principal,
    @Query() query: RunSummariesQueryDto,
  ): Promise<FlowRunSummariesDto> {
    return { data: await this.runs.summaries(principal, query) };
  }

  /** Reads a run with the results of its steps. */
  @Requires('READ_RUN')
  @Get(':id')
  read(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Query() query: ReadRunQueryDto,
  ): Promise<FlowRunDetailDto> {
    return this.runs.read(principal, id, query);
  }
}
