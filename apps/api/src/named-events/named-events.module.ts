import { Module } from '@nestjs/common';
import { NamedEventsController } from './named-events.controller';
import { NamedEventsService } from './named-events.service';

@Module({ controllers: [NamedEventsController], providers: [NamedEventsService] })
export class NamedEventsModule {}
