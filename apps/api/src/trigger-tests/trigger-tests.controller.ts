import type { Principal } from '@millrace/domain';
import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { ListTriggerEventsQueryDto, TestTriggerDto, TriggerEventPageDto, TriggerTestDto } from './trigger-test.dto';
import { TriggerTestsService } from './trigger-tests.service';

@ApiTags('sample data')
@ApiBearerAuth()
@Controller('api/v1')
export class TriggerTestsController {
  constructor(private readonly tests: TriggerTestsService) {}

  /**
   * Tests the trigger of the latest version, and stores the newest item as its sample data. A poll gives the items that
   * are there now, and remembers none of them. A webhook gives the last request to one of its test URLs.
   */
  @Requires('WRITE_FLOW')
  @Post('test-trigger')
  @HttpCode(200)
  test(@CurrentPrincipal() principal: Principal, @Body() body: TestTriggerDto): Promise<TriggerTestDto> {
    return this.tests.test(principal, body.flowId);
  }

  /** Lists what the trigger of a flow got in its last tests, newest first. At most 10 events of a flow are kept. */
  @Requires('READ_FLOW')
  @Get('trigger-events')
  events(
    @CurrentPrincipal() principal: Principal,
    @Query() query: ListTriggerEventsQueryDto,
  ): Promise<TriggerEventPageDto> {
    return this.tests.events(principal, query);
  }
}
