import { Module, type DynamicModule } from '@nestjs/common';
import { HealthModule, publicUrl } from '@millrace/http';
import {
  connectionShares,
  databaseAddress,
  fileSettings,
  FileStoreModule,
  IntakeGateModule,
  intakeSettings,
  PostgresModule,
  QueueModule,
  queueSettings,
  SecretsModule,
  webhookKeyRing,
} from '@millrace/persistence';
import { gatewayReadiness } from './proxy/gateway-readiness';
import type { GatewayConfig } from './settings/config';
import { BodiesModule } from './bodies/bodies.module';
import { DraftsModule } from './drafts/drafts.module';
import { IntakeModule } from './intake/intake.module';
import { VerificationModule } from './verification/verification.module';
import { SyncWebhooksModule } from './sync/sync-webhooks.module';

/** The entry of the service. It accepts webhooks and passes all other requests on to the api. */
@Module({})
export class GatewayModule {
  static forRoot(config: GatewayConfig): DynamicModule {
    const connections = connectionShares(config.SVC_GATEWAY_DATABASE_CONNECTIONS, {
      queueInDatabase: config.SVC_REDIS_URL === undefined,
    });
    return {
      module: GatewayModule,
      imports: [
        PostgresModule.forRoot({
          ...databaseAddress(config),
          applicationName: 'millrace webhook-gateway',
          connections,
        }),
        QueueModule.forRoot(queueSettings(config, connections.queue)),
        HealthModule.forRoot(gatewayReadiness(config.SVC_API_UPSTREAM_URL)),
        IntakeGateModule.forRoot(intakeSettings(config)),
        FileStoreModule.forRoot(fileSettings(config)),
        BodiesModule,
        SecretsModule.forRoot(webhookKeyRing(config)),
        VerificationModule,
        IntakeModule.forRoot({ publicUrl: publicUrl(config) }),
        DraftsModule.forRoot({ perMinute: config.SVC_DRAFT_WEBHOOKS_PER_MINUTE }),
        SyncWebhooksModule.forRoot({
          timeoutSeconds: config.SVC_WEBHOOK_TIMEOUT_SECONDS,
          publicUrl: config.SVC_PUBLIC_URL,
        }),
      ],
    };
  }
}
