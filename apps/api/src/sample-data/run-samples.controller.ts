import type { Principal } from '@millrace/domain';
import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { RunSamplesService } from './run-samples.service';
import { TakenSamplesDto, TakeSamplesDto } from './sample-data.dto';

@ApiTags('sample data')
@ApiBearerAuth()
@Controller('api/v1/flows/:id')
export class RunSamplesController {
  constructor(private readonly samples: RunSamplesService) {}

  /** Takes what the steps of a run were given and gave as the sample data of the flow. */
  @Requires('WRITE_FLOW')
  @Post('sample-data')
  @HttpCode(200)
  take(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Body() body: TakeSamplesDto,
  ): Promise<TakenSamplesDto> {
    return this.samples.take(principal, id, body.fromRunId);
  }
}
