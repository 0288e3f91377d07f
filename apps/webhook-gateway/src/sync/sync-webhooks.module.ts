import { Module, type DynamicModule } from '@nestjs/common';
import { RunAnswers, RunNotices } from '@millrace/domain';
import { IntakeModule } from '../intake/intake.module';
import { AWAITED_RUNS_LIMITS, AwaitedRuns } from './awaited-runs';
import { SyncTimeout } from './sync-timeout';
import { SyncWebhooksController } from './sync-webhooks.controller';

/** Webhooks whose senders wait for what the flow responds. */
@Module({})
export class SyncWebhooksModule {
  static forRoot({ timeoutSeconds }: { timeoutSeconds: number }): DynamicModule {
    return {
      module: SyncWebhooksModule,
      imports: [IntakeModule],
      controllers: [SyncWebhooksController],
      providers: [
        { provide: SyncTimeout, useValue: new SyncTimeout(timeoutSeconds) },
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
