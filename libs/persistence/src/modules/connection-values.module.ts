import { Module } from '@nestjs/common';
import {
  ConnectionRefreshes,
  ConnectionSharing,
  ConnectionValues,
  FreshConnections,
  OutboundHttp,
  SharedConnections,
  SystemClock,
  TokenEndpoint,
  TriggerSecrets,
} from '@millrace/domain';
import { PostgresConnectionRefreshes } from '../connections/postgres-connection-refreshes';
import { PostgresConnectionSharing } from '../connections/postgres-connection-sharing';
import { PostgresConnectionValues } from '../connections/postgres-connection-values';
import { PostgresSharedConnections } from '../connections/postgres-shared-connections';
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

/** Provides the secrets that the gateway uses: SharedConnections and TriggerSecrets. It needs the same modules. */
@Module({
  providers: [
    { provide: SharedConnections, useClass: PostgresSharedConnections },
    { provide: TriggerSecrets, useClass: PostgresTriggerSecrets },
  ],
  exports: [SharedConnections, TriggerSecrets],
})
export class WebhookSecretsModule {}

/**
 * Provides FreshConnections, which refreshes access tokens, TokenEndpoint and ConnectionSharing. It needs OutboundHttp
 * besides.
 */
@Module({
  imports: [ConnectionValuesModule],
  providers: [
    { provide: ConnectionRefreshes, useClass: PostgresConnectionRefreshes },
    { provide: ConnectionSharing, useClass: PostgresConnectionSharing },
    { provide: TokenEndpoint, inject: [OutboundHttp], useFactory: (http: OutboundHttp) => new TokenEndpoint(http) },
    {
      provide: FreshConnections,
      inject: [ConnectionValues, ConnectionRefreshes, TokenEndpoint],
      useFactory: (values: ConnectionValues, refreshes: ConnectionRefreshes, endpoint: TokenEndpoint) =>
        new FreshConnections({ values, refreshes, endpoint, clock: new SystemClock() }),
    },
  ],
  exports: [ConnectionRefreshes, ConnectionSharing, ConnectionValuesModule, FreshConnections, TokenEndpoint],
})
export class FreshConnectionsModule {}
