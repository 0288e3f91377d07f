import { Module } from '@nestjs/common';
import {
  ConnectionRefreshes,
  ConnectionValues,
  FreshConnections,
  OutboundHttp,
  SystemClock,
  TokenEndpoint,
  TriggerSecrets,
} from '@millrace/domain';
import { PostgresConnectionRefreshes } from '../connections/postgres-connection-refreshes';
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

/** Provides FreshConnections, which refreshes access tokens, and TokenEndpoint. It needs OutboundHttp besides. */
@Module({
  imports: [ConnectionValuesModule],
  providers: [
    { provide: ConnectionRefreshes, useClass: PostgresConnectionRefreshes },
    { provide: TokenEndpoint, inject: [OutboundHttp], useFactory: (http: OutboundHttp) => new TokenEndpoint(http) },
    {
      provide: FreshConnections,
      inject: [ConnectionValues, ConnectionRefreshes, TokenEndpoint],
      useFactory: (values: ConnectionValues, refreshes: ConnectionRefreshes, endpoint: TokenEndpoint) =>
        new FreshConnections({ values, refreshes, endpoint, clock: new SystemClock() }),
    },
  ],
  exports: [ConnectionRefreshes, ConnectionValuesModule, FreshConnections, TokenEndpoint],
})
export class FreshConnectionsModule {}
