import { Module } from '@nestjs/common';
import { FlowsModule } from '../flows/flows.module';
import { TriggerTestsController } from './trigger-tests.controller';
import { TriggerTestsService } from './trigger-tests.service';

@Module({ imports: [FlowsModule], controllers: [TriggerTestsController], providers: [TriggerTestsService] })
export class TriggerTestsModule {}
