import { WebhookSecretsModule } from '@millrace/persistence';
import { Module, type DynamicModule } from '@nestjs/common';
import { AwaitedRuns } from './awaited-runs';
import { SentAnswers } from './sent-answers';
import { SyncSettings } from './sync-settings';
import { SyncWebhooksController } from './sync-webhooks.controller';

/** Serves webhooks whose senders wait for the flow's response. It needs IntakeModule and DraftsModule. */
@Module({})
export class SyncWebhooksModule {
  static forRoot({ timeoutSeconds, publicUrl }: SyncSettings): DynamicModule {
    return {
      module: SyncWebhooksModule,
      imports: [WebhookSecretsModule],
      controllers: [SyncWebhooksController],
      providers: [
        { provide: SyncSettings, useValue: new SyncSettings(timeoutSeconds, publicUrl) },
        AwaitedRuns,
        SentAnswers,
      ],
    };
  }
}
