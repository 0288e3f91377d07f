import type { Principal } from '@millrace/domain';
import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { ProjectPagedQueryDto } from '../rest/paged-query.dto';
import { PacedRetriesService } from './paced-retries.service';
import { PacedRetryDto, PacedRetryPageDto } from './paced-retry.dto';

@ApiTags('flow runs')
@ApiBearerAuth()
@Controller('api/v1/paced-retries')
export class PacedRetriesController {
  constructor(private readonly retries: PacedRetriesService) {}

  /** Lists the paced retries of a project, newest first. Those that ended 30 days ago may be gone. */
  @Requires('READ_RUN')
  @Get()
  list(@CurrentPrincipal() principal: Principal, @Query() query: ProjectPagedQueryDto): Promise<PacedRetryPageDto> {
    return this.retries.list(principal, query);
  }

  /** Reads how far a paced retry has come. */
  @Requires('READ_RUN')
  @Get(':id')
  read(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<PacedRetryDto> {
    return this.retries.read(principal, id);
  }

  /** Starts no more retries. Those that were started go on. */
  @Requires('WRITE_RUN')
  @Post(':id/cancel')
  @HttpCode(200)
  cancel(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<PacedRetryDto> {
    return this.retries.cancel(principal, id);
  }
}
