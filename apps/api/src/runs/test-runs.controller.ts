import { schemaRef, type Principal } from '@millrace/domain';
import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { FlowRunDetailDto } from './run.dto';
import { TestRunsService } from './test-runs.service';

@ApiTags('flows')
@ApiBearerAuth()
@Controller('api/v1/flows/:id')
export class TestRunsController {
  constructor(private readonly testRuns: TestRunsService) {}

  /** Starts a run of the latest version in the environment `TESTING`, even when the flow is disabled. */
  @Requires('WRITE_RUN')
  @Post('test-run')
  @ApiBody({ schema: schemaRef('StartTestRun'), required: false })
  start(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<FlowRunDetailDto> {
    return this.testRuns.start(principal, id, body);
  }
}
