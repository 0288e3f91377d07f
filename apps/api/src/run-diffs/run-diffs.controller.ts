import type { Principal } from '@millrace/domain';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { RunDiffDto } from './run-diff.dto';
import { RunDiffsService } from './run-diffs.service';

@ApiTags('flow runs')
@ApiBearerAuth()
@Controller('api/v1/flow-runs')
export class RunDiffsController {
  constructor(private readonly diffs: RunDiffsService) {}

  /** Compares this run with another run of the project, step by step. */
  @Requires('READ_RUN')
  @Get(':id/diff/:otherId')
  diff(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Param('otherId') otherId: string,
  ): Promise<RunDiffDto> {
    return this.diffs.diff(principal, id, otherId);
  }
}
