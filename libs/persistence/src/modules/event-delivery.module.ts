import { Global, Module } from '@nestjs/common';
import { DueEvents, EventDestinationRepository } from '@millrace/domain';
import { PostgresDueEvents } from '../event-destinations/postgres-due-events';
import { PostgresEventDestinationRepository } from '../event-destinations/postgres-event-destination.repository';

/**
 * Provides DueEvents and EventDestinationRepository. It needs PostgresModule and SecretsModule, and loads no TypeORM. It
 * is global: an app imports it once.
 */
@Global()
@Module({
  providers: [
    { provide: DueEvents, useClass: PostgresDueEvents },
    { provide: EventDestinationRepository, useClass: PostgresEventDestinationRepository },
  ],
  exports: [DueEvents, EventDestinationRepository],
})
export class EventDeliveryModule {}
