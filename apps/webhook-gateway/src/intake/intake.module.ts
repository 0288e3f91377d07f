import { FileLinks } from '@millrace/domain';
import { Module, type DynamicModule } from '@nestjs/common';
import { InstallationKeys, RunIntakeModule } from '@millrace/persistence';
import { LargeWebhooks } from './large-webhooks';
import { PublishedFlows } from './published-flows';
import { WebhookFiles } from './webhook-files';
import { WebhookIntake } from './webhook-intake.service';
import { WebhookSpans } from './webhook-spans';
import { WebhookPayloads } from './webhook-payloads';
import { WebhooksUnderWay } from './webhooks-under-way';
import { WebhooksController } from './webhooks.controller';

export interface IntakeModuleSettings {
  /** The base URL in the links to the files that webhooks bring. */
  publicUrl: string;
}

/** Takes webhooks for published flows. It needs BodiesModule. It is global: other modules take webhooks with it. */
@Module({})
export class IntakeModule {
  static forRoot({ publicUrl }: IntakeModuleSettings): DynamicModule {
    return {
      module: IntakeModule,
      global: true,
      imports: [RunIntakeModule],
      controllers: [WebhooksController],
      providers: [
        {
          provide: FileLinks,
          inject: [InstallationKeys],
          useFactory: (keys: InstallationKeys) => new FileLinks(publicUrl, keys.fileLinks),
        },
        LargeWebhooks,
        PublishedFlows,
        WebhookFiles,
        WebhookIntake,
        WebhookPayloads,
        WebhookSpans,
        WebhooksUnderWay,
      ],
      exports: [RunIntakeModule, WebhookIntake, WebhookPayloads, WebhookSpans],
    };
  }
}
