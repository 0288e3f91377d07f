import { Module } from '@nestjs/common';
import { RunIntakeModule } from '@millrace/persistence';
import { BodyChecker } from './body-checker';
import { LargeWebhooks } from './large-webhooks';
import { PublishedFlows } from './published-flows';
import { WebhookIntake } from './webhook-intake.service';
import { WebhooksController } from './webhooks.controller';

@Module({
  imports: [RunIntakeModule],
  controllers: [WebhooksController],
  providers: [BodyChecker, LargeWebhooks, PublishedFlows, WebhookIntake],
  exports: [WebhookIntake],
})
export class IntakeModule {}
