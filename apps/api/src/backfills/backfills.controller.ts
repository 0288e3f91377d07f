import type { Principal } from '@millrace/domain';
import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { BackfillDto, BackfilledDto } from './backfill.dto';
import { BackfillsService } from './backfills.service';

@ApiTags('flows')
@ApiBearerAuth()
@Controller('api/v1/flows/:id/backfill')
export class BackfillsController {
  constructor(private readonly backfills: BackfillsService) {}

  /**
   * Starts a run for each instant of the flow's schedule that has none, oldest first, at most 1,000. The runs go behind
   * all other work. A repeated call goes on with the next instants and starts no run twice.
   */
  @Requires('WRITE_RUN')
  @Post()
  @HttpCode(200)
  start(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Body() body: BackfillDto,
  ): Promise<BackfilledDto> {
    return this.backfills.start(principal, id, body);
  }
}
