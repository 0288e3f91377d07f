import type { Principal } from '@millrace/domain';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { PublishedEventDto, PublishEventDto } from './named-event.dto';
import { NamedEventsService } from './named-events.service';

@ApiTags('events')
@ApiBearerAuth()
@Controller('api/v1/events')
export class NamedEventsController {
  constructor(private readonly events: NamedEventsService) {}

  /** Starts a run of each enabled flow of the project that listens to events of this name. */
  @Requires('WRITE_RUN')
  @Post()
  @HttpCode(200)
  publish(@CurrentPrincipal() principal: Principal, @Body() body: PublishEventDto): Promise<PublishedEventDto> {
    return this.events.publish(principal, body);
  }
}
