import { Module, type DynamicModule } from '@nestjs/common';
import { ConnectionValues } from '@millrace/domain';
import { Pool } from 'pg';
import { SecretBox } from '../secrets/secret-box';
import { PostgresConnectionValues } from '../connections/postgres-connection-values';

export interface ConnectionValuesSettings {
  /** 32 bytes: what the values were sealed with. */
  encryptionKey: Buffer;
}

/** For the app that runs steps: the values of connections. Needs PostgresModule, and not TypeORM. Global. */
@Module({})
export class ConnectionValuesModule {
  static forRoot({ encryptionKey }: ConnectionValuesSettings): DynamicModule {
    return {
      module: ConnectionValuesModule,
      global: true,
      providers: [
        {
          provide: ConnectionValues,
          inject: [Pool],
          useFactory: (pool: Pool) => new PostgresConnectionValues(pool, new SecretBox(encryptionKey)),
        },
      ],
      exports: [ConnectionValues],
    };
  }
}
