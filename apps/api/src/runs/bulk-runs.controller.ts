import type { Principal } from '@millrace/domain';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { ArchivedDto, ArchiveRunsDto, CancelledDto, CancelRunsDto } from './bulk-runs.dto';
import { BulkRunsService } from './bulk-runs.service';

@ApiTags('flow runs')
@ApiBearerAuth()
@Controller('api/v1/flow-runs')
export class BulkRunsController {
  constructor(private readonly bulk: BulkRunsService) {}

  /** Stops runs that have not ended, and the runs that they started. Without a filter: every one of the project. */
  @Post('cancel')
  @HttpCode(200)
  async cancel(@CurrentPrincipal() principal: Principal, @Body() body: CancelRunsDto): Promise<CancelledDto> {
    return { cancelled: await this.bulk.cancel(principal, body) };
  }

  /** Archives runs that have ended: lists leave them out. Without a filter: every one of the project. */
  @Post('archive')
  @HttpCode(200)
  async archive(@CurrentPrincipal() principal: Principal, @Body() body: ArchiveRunsDto): Promise<ArchivedDto> {
    return { archived: await this.bulk.archive(principal, body) };
  }
}
