import type { Principal } from '@millrace/domain';
import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { EvaluateDto, EvaluationsDto } from './evaluation.dto';
import { EvaluationsService } from './evaluations.service';

@ApiTags('sample data')
@ApiBearerAuth()
@Controller('api/v1/flows/:id')
export class EvaluationsController {
  constructor(private readonly evaluations: EvaluationsService) {}

  /**
   * Evaluates texts with expressions as a step of the latest version would, on the sample data of the steps before it.
   * It runs no step and stores nothing.
   */
  @Requires('WRITE_RUN')
  @Post('evaluate')
  @HttpCode(200)
  evaluate(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Body() body: EvaluateDto,
  ): Promise<EvaluationsDto> {
    return this.evaluations.evaluate(principal, id, body);
  }
}
