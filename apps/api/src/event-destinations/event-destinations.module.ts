import { Module } from '@nestjs/common';
import { DestinationUrls } from './destination-urls';
import { EventDestinationsController } from './event-destinations.controller';
import { EventDestinationsService } from './event-destinations.service';

@Module({ controllers: [EventDestinationsController], providers: [EventDestinationsService, DestinationUrls] })
export class EventDestinationsModule {}
