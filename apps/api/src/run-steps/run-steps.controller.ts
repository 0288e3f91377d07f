import type { Principal } from '@millrace/domain';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiParam, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { ListRunStepsQueryDto, RunStepDto, RunStepTotalsDto, StepSummaryPageDto } from './run-steps.dto';
import { RunStepsService } from './run-steps.service';

@ApiTags('flow runs')
@ApiBearerAuth()
@Controller('api/v1/flow-runs/:id')
export class RunStepsController {
  constructor(private readonly steps: RunStepsService) {}

  /**
   * Lists what the steps of a run did without their data: the steps that are in no loop, those of one iteration, or the
   * iterations of a loop. A run of many iterations is read in parts like this.
   */
  @Requires('READ_RUN')
  @Get('steps')
  list(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Query() query: ListRunStepsQueryDto,
  ): Promise<StepSummaryPageDto> {
    return this.steps.list(principal, id, query);
  }

  /** Tells of each step of a run how often it ran, and how it ended. */
  @Requires('READ_RUN')
  @Get('step-totals')
  async totals(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<RunStepTotalsDto> {
    return { data: await this.steps.totals(principal, id) };
  }

  /** Reads the result of one step of a run. That of a loop comes without the steps of its iterations. */
  @Requires('READ_RUN')
  @Get('steps/:path')
  @ApiParam({
    name: 'path',
    description: 'The name of the step, after `<loop>[<index>].` for each loop around it. Indexes count from 0.',
    example: 'each_order[2].step_1',
  })
  read(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Param('path') path: string,
  ): Promise<RunStepDto> {
    return this.steps.read(principal, id, path);
  }
}
