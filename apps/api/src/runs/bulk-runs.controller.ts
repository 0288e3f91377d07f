import type { Principal } from '@millrace/domain';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { ArchivedDto, ArchiveRunsDto, CancelledDto, CancelRunsDto } from './bulk-runs.dto';
import { BulkRunsService } from './bulk-runs.service';

@ApiTags('flow runs')
@ApiBearerAuth()
@Controller('api/v1/flow-runs')
export class BulkRunsController {
  constructor(private readonly bulk: BulkRunsService) {}

  /**
   * Stops unfinished runs and the runs that they started. Without a filter, it stops all unfinished runs of the
   * project.
   */
  @Requires('WRITE_RUN')
  @Post('cancel')
  @HttpCode(200)
  async cancel(@CurrentPrincipal() principal: Principal, @Body() body: CancelRunsDto): Promise<CancelledDto> {
    return { cancelled: await this.bulk.cancel(principal, body) };
  }

  /** Archives ended runs, which lists then leave out. Without a filter, it archives all ended runs of the project. */
  @Requires('WRITE_RUN')
  @Post('archive')
  @HttpCode(200)
  async archive(@CurrentPrincipal() principal: Principal, @Body() body: ArchiveRunsDto): Promise<ArchivedDto> {
    return { archived: await this.bulk.archive(principal, body) };
  }
}
