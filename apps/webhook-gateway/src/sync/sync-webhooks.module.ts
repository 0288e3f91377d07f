import { Module, type DynamicModule } from '@nestjs/common';
import { RunAnswers, RunNotices } from '@millrace/domain';
import { IntakeModule } from '../intake/intake.module';
import { AWAITED_RUNS_LIMITS, AwaitedRuns } from './awaited-runs';
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
      providers: [
        { provide: SyncSettings, useValue: new SyncSettings(timeoutSeconds, publicUrl) },
        {
          provide: AwaitedRuns,
          inject: [RunAnswers, RunNotices],
          useFactory: (answers: RunAnswers, notices: RunNotices) =>
            new AwaitedRuns(answers, notices, AWAITED_RUNS_LIMITS),
        },
      ],
    };
  }
}
