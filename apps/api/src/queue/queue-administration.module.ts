import { Module } from '@nestjs/common';
import { QueueController } from './queue.controller';
import { QueueService } from './queue.service';

/** The administration of the job queue. */
@Module({ controllers: [QueueController], providers: [QueueService] })
export class QueueAdministrationModule {}
