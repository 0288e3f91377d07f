import { Module, type DynamicModule } from '@nestjs/common';
import { DraftIntake } from './draft-intake.service';
import { DraftRate } from './draft-rate';
import { DraftWebhooksController } from './draft-webhooks.controller';
import { OverrunDrafts } from './overrun-drafts';
import { VerifiedDrafts } from './verified-drafts';

/** Takes webhooks for the latest versions of flows. It needs IntakeModule. It is global: sync webhooks use it too. */
@Module({})
export class DraftsModule {
  static forRoot({ perMinute }: { perMinute: number }): DynamicModule {
    return {
      module: DraftsModule,
      global: true,
      controllers: [DraftWebhooksController],
      providers: [
        { provide: DraftRate, useValue: new DraftRate(perMinute) },
        { provide: OverrunDrafts, useValue: new OverrunDrafts(perMinute) },
        VerifiedDrafts,
        DraftIntake,
      ],
      exports: [DraftIntake],
    };
  }
}
