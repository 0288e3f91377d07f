import type { Principal } from '@millrace/domain';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { StepTestDto, TestStepDto } from './step-test.dto';
import { StepTestsService } from './step-tests.service';

@ApiTags('sample data')
@ApiBearerAuth()
@Controller('api/v1/sample-data')
export class StepTestsController {
  constructor(private readonly tests: StepTestsService) {}

  /**
   * Runs one step of the latest version alone, with the sample data of the steps before it, and stores its own sample
   * data.
   */
  @Requires('WRITE_RUN')
  @Post('test-step')
  @HttpCode(200)
  test(@CurrentPrincipal() principal: Principal, @Body() body: TestStepDto): Promise<StepTestDto> {
    return this.tests.test(principal, body);
  }
}
