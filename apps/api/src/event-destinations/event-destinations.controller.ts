import type { Principal } from '@millrace/domain';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { PagedQueryDto, ProjectPagedQueryDto } from '../rest/paged-query.dto';
import {
  ChangeEventDestinationDto,
  CreatedEventDestinationDto,
  CreateEventDestinationDto,
  EventDeliveryDto,
  EventDeliveryPageDto,
  EventDestinationDto,
  EventDestinationPageDto,
  EventTestDto,
} from './event-destination.dto';
import { EventDestinationsService } from './event-destinations.service';

@ApiTags('event destinations')
@ApiBearerAuth()
@Controller('api/v1/event-destinations')
export class EventDestinationsController {
  constructor(private readonly destinations: EventDestinationsService) {}

  /** Lists the event destinations of a project, newest first, without their secrets. */
  @Requires('WRITE_EVENT_DESTINATION')
  @Get()
  list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: ProjectPagedQueryDto,
  ): Promise<EventDestinationPageDto> {
    return this.destinations.list(principal, query);
  }

  /** Creates an event destination. Only this answer shows the secret that signs the events. */
  @Requires('WRITE_EVENT_DESTINATION')
  @Post()
  create(
    @CurrentPrincipal() principal: Principal,
    @Body() body: CreateEventDestinationDto,
  ): Promise<CreatedEventDestinationDto> {
    return this.destinations.create(principal, body);
  }

  /** Reads an event destination. */
  @Requires('WRITE_EVENT_DESTINATION')
  @Get(':id')
  read(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<EventDestinationDto> {
    return this.destinations.read(principal, id);
  }

  /** Changes an event destination, enables or disables it. */
  @Requires('WRITE_EVENT_DESTINATION')
  @Post(':id')
  @HttpCode(200)
  change(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Body() body: ChangeEventDestinationDto,
  ): Promise<EventDestinationDto> {
    return this.destinations.change(principal, id, body);
  }

  /** Deletes an event destination with its deliveries. */
  @Requires('WRITE_EVENT_DESTINATION')
  @Delete(':id')
  @HttpCode(204)
  delete(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<void> {
    return this.destinations.delete(principal, id);
  }

  /** Sends a test event at once, also to a disabled destination, and tells how that went. */
  @Requires('WRITE_EVENT_DESTINATION')
  @Post(':id/test')
  @HttpCode(200)
  test(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<EventTestDto> {
    return this.destinations.test(principal, id);
  }

  /** Lists the deliveries to an event destination, newest first. */
  @Requires('WRITE_EVENT_DESTINATION')
  @Get(':id/deliveries')
  listDeliveries(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Query() query: PagedQueryDto,
  ): Promise<EventDeliveryPageDto> {
    return this.destinations.listDeliveries(principal, id, query);
  }

  /** Sends an event of the log again, under the same id, as soon as the destination is enabled. */
  @Requires('WRITE_EVENT_DESTINATION')
  @Post(':id/deliveries/:deliveryId/redeliver')
  @HttpCode(200)
  redeliver(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Param('deliveryId') deliveryId: string,
  ): Promise<EventDeliveryDto> {
    return this.destinations.redeliver(principal, id, deliveryId);
  }
}
