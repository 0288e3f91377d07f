import { Module, type DynamicModule } from '@nestjs/common';
import { ConnectionValues, TriggerSecrets } from '@millrace/domain';
import { SecretBox } from '../secrets/secret-box';
import { PostgresConnectionValues } from '../connections/postgres-connection-values';
import { PostgresTriggerSecrets } from '../flows/postgres-trigger-secrets';

export interface ConnectionValuesSettings {
  /** The key of 32 bytes that sealed the values. */
  encryptionKey: Buffer;
}

/**
 * Provides the secrets that apps use: ConnectionValues, and TriggerSecrets. It needs PostgresModule and loads no TypeORM.
 * It is global.
 */
@Module({})
export class ConnectionValuesModule {
  static forRoot({ encryptionKey }: ConnectionValuesSettings): DynamicModule {
    return {
      module: ConnectionValuesModule,
      global: true,
      providers: [
        { provide: SecretBox, useValue: new SecretBox(encryptionKey) },
        { provide: ConnectionValues, useClass: PostgresConnectionValues },
        { provide: TriggerSecrets, useClass: PostgresTriggerSecrets },
      ],
      exports: [ConnectionValues, TriggerSecrets],
    };
  }
}
