import { Module, type DynamicModule } from '@nestjs/common';
import { DueEvents, EventDestinationRepository } from '@millrace/domain';
import { PostgresDueEvents } from '../event-destinations/postgres-due-events';
import { PostgresEventDestinationRepository } from '../event-destinations/postgres-event-destination.repository';
import { SecretBox } from '../secrets/secret-box';

export interface EventDeliverySettings {
  /** The key of 32 bytes that seals the secrets of destinations. */
  encryptionKey: Buffer;
}

/**
 * Provides DueEvents and EventDestinationRepository. It needs PostgresModule and loads no TypeORM. It is global: an app
 * imports it once.
 */
@Module({})
export class EventDeliveryModule {
  static forRoot({ encryptionKey }: EventDeliverySettings): DynamicModule {
    return {
      module: EventDeliveryModule,
      global: true,
      providers: [
        { provide: SecretBox, useValue: new SecretBox(encryptionKey) },
        { provide: DueEvents, useClass: PostgresDueEvents },
        { provide: EventDestinationRepository, useClass: PostgresEventDestinationRepository },
      ],
      exports: [DueEvents, EventDestinationRepository],
    };
  }
}
