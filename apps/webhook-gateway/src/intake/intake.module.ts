import { Module } from '@nestjs/common';
import { RunIntakeModule } from '@millrace/persistence';
import { PublishedFlows } from './published-flows';
import { WebhookIntake } from './webhook-intake.service';
import { WebhooksController } from './webhooks.controller';

@Module({
  imports: [RunIntakeModule],
  controllers: [WebhooksController],
  providers: [PublishedFlows, WebhookIntake],
  exports: [WebhookIntake],
})
export class IntakeModule {}
