import { Clock, SystemClock } from '@millrace/domain';
import { WebhookSecretsModule } from '@millrace/persistence';
import { Global, Module } from '@nestjs/common';
import { WebhookChecks } from './webhook-checks';
import { WebhookVerification } from './webhook-verification';

/** Checks who sends a webhook. It needs BodiesModule. It is global: every module that takes webhooks uses it. */
@Global()
@Module({
  imports: [WebhookSecretsModule],
  providers: [{ provide: Clock, useClass: SystemClock }, WebhookChecks, WebhookVerification],
  exports: [WebhookChecks, WebhookVerification],
})
export class VerificationModule {}
