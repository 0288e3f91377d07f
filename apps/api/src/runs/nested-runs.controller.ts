import type { Principal } from '@millrace/domain';
import { Body, Controller, Headers, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { FAIL_PARENT, PARENT_RUN, type RequestHeaders } from './nested-run-request';
import { NestedRunsService } from './nested-runs.service';
import { FlowRunDto } from './run.dto';

@ApiTags('flows')
@ApiBearerAuth()
@Controller('api/v1/flows/:id')
export class NestedRunsController {
  constructor(private readonly nestedRuns: NestedRunsService) {}

  /**
   * Starts a run of the published version. The body is the output of its trigger. The status 201 means that the run is
   * on the disk.
   */
  @Requires('WRITE_RUN')
  @Post('run')
  @ApiHeader(PARENT_RUN)
  @ApiHeader(FAIL_PARENT)
  @ApiBody({ required: false, schema: {} })
  start(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Headers() headers: RequestHeaders,
    @Body() body: unknown,
  ): Promise<FlowRunDto> {
    return this.nestedRuns.start(principal, id, headers, body);
  }
}
