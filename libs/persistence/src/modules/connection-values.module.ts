import { Module } from '@nestjs/common';
import { ConnectionValues, TriggerSecrets } from '@millrace/domain';
import { PostgresConnectionValues } from '../connections/postgres-connection-values';
import { PostgresTriggerSecrets } from '../flows/postgres-trigger-secrets';

/**
 * Provides the secrets that apps use: ConnectionValues, and TriggerSecrets. It needs PostgresModule and SecretsModule,
 * and loads no TypeORM.
 */
@Module({
  providers: [
    { provide: ConnectionValues, useClass: PostgresConnectionValues },
    { provide: TriggerSecrets, useClass: PostgresTriggerSecrets },
  ],
  exports: [ConnectionValues, TriggerSecrets],
})
export class ConnectionValuesModule {}
