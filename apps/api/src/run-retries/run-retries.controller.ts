import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '@millrace/domain';
import { Body, Controller, Headers, HttpCode, Param, Post, UseInterceptors } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { FlowRunDto } from '../runs/run.dto';
import { BulkRetriesService } from './bulk-retries.service';
import { RerunAnswer } from './rerun-answer';
import { RerunDto, RerunPlanDto } from './rerun.dto';
import { RunRerunsService, type Rerun } from './run-reruns.service';
import { RunRetriesService } from './run-retries.service';
import { RetriedDto, RetryRunDto, RetryRunsDto } from './run-retry.dto';

@ApiTags('flow runs')
@ApiBearerAuth()
@Controller('api/v1/flow-runs')
export class RunRetriesController {
  constructor(
    private readonly retries: RunRetriesService,
    private readonly bulk: BulkRetriesService,
    private readonly reruns: RunRerunsService,
  ) {}

  /**
   * Retries ended runs, each as a new run. Without a filter, it retries every run of the project that ended with any
   * status except `SUCCEEDED`. A run that already has a retry is retried only when `flowRunIds` names it. With
   * `ratePerSecond` or `stopAfterFailures` it makes a paced retry, which starts the runs in the background.
   */
  @Requires('WRITE_RUN')
  @Post('retry')
  @HttpCode(200)
  retryMany(
    @CurrentPrincipal() principal: Principal,
    @Headers() headers: IncomingHttpHeaders,
    @Body() body: RetryRunsDto,
  ): Promise<RetriedDto> {
    const callKey = headers['idempotency-key'];
    return this.bulk.retry(principal, body, typeof callKey === 'string' ? callKey : null);
  }

  /** Retries an ended run as a new run, which names it in `retryOfRunId`. */
  @Requires('WRITE_RUN')
  @Post(':id/retry')
  retry(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Body() body: RetryRunDto,
  ): Promise<FlowRunDto> {
    return this.retries.retry(principal, id, body);
  }

  /** Executes an ended run again as a new run, from any of its steps, on its own version or another one. */
  @Requires('WRITE_RUN')
  @Post(':id/rerun')
  @UseInterceptors(RerunAnswer)
  @ApiCreatedResponse({ type: FlowRunDto, description: 'The new run.' })
  @ApiOkResponse({ type: RerunPlanDto, description: 'With `dryRun`: the plan of the run, which was not started.' })
  rerun(@CurrentPrincipal() principal: Principal, @Param('id') id: string, @Body() body: RerunDto): Promise<Rerun> {
    return this.reruns.rerun(principal, id, body);
  }
}
