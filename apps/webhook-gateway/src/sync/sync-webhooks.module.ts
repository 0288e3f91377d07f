import { WebhookSecretsModule } from '@millrace/persistence';
import { Module, type DynamicModule } from '@nestjs/common';
import { AwaitedAnswers } from '../answers/awaited-answers';
import { AwaitedRuns } from '../answers/awaited-runs';
import { SentAnswers } from '../answers/sent-answers';
import { SyncSettings } from '../answers/answer-settings';
import { SyncWebhooksController } from './sync-webhooks.controller';

/**
 * Serves webhooks whose senders wait for the flow's response. It needs IntakeModule and DraftsModule. It is global: other
 * webhooks may turn out to be handshakes, whose senders wait for an answer too.
 */
@Module({})
export class SyncWebhooksModule {
  static forRoot({ timeoutSeconds, publicUrl }: SyncSettings): DynamicModule {
    return {
      module: SyncWebhooksModule,
      global: true,
      imports: [WebhookSecretsModule],
      controllers: [SyncWebhooksController],
      providers: [
        { provide: SyncSettings, useValue: new SyncSettings(timeoutSeconds, publicUrl) },
        AwaitedRuns,
        SentAnswers,
        AwaitedAnswers,
      ],
      exports: [AwaitedAnswers],
    };
  }
}
