import { Module, type DynamicModule } from '@nestjs/common';
import { IntakeModule } from '../intake/intake.module';
import { AwaitedRuns } from './awaited-runs';
import { SyncSettings } from './sync-settings';
import { SyncWebhooksController } from './sync-webhooks.controller';

/** Serves webhooks whose senders wait for the flow's response. */
@Module({})
export class SyncWebhooksModule {
  static forRoot({ timeoutSeconds, publicUrl }: SyncSettings): DynamicModule {
    return {
      module: SyncWebhooksModule,
      imports: [IntakeModule],
      controllers: [SyncWebhooksController],
      providers: [{ provide: SyncSettings, useValue: new SyncSettings(timeoutSeconds, publicUrl) }, AwaitedRuns],
    };
  }
}
