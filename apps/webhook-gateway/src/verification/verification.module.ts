import { Clock, SystemClock } from '@millrace/domain';
import { ConnectionValuesModule } from '@millrace/persistence';
import { Module, type DynamicModule } from '@nestjs/common';
import { WebhookChecks } from './webhook-checks';
import { WebhookVerification } from './webhook-verification';

/** Checks who sends a webhook. It needs BodiesModule. It is global: every module that takes webhooks uses it. */
@Module({})
export class VerificationModule {
  static forRoot({ encryptionKey }: { encryptionKey: Buffer }): DynamicModule {
    return {
      module: VerificationModule,
      global: true,
      imports: [ConnectionValuesModule.forRoot({ encryptionKey })],
      providers: [{ provide: Clock, useClass: SystemClock }, WebhookChecks, WebhookVerification],
      exports: [WebhookChecks, WebhookVerification],
    };
  }
}
