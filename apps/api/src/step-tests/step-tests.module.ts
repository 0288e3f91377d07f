import { Module } from '@nestjs/common';
import { FlowsModule } from '../flows/flows.module';
import { RunsModule } from '../runs/runs.module';
import { EndedStepTests } from './ended-step-tests';
import { StepTestsController } from './step-tests.controller';
import { StepTestsService } from './step-tests.service';

@Module({
  imports: [FlowsModule, RunsModule],
  controllers: [StepTestsController],
  providers: [StepTestsService, EndedStepTests],
})
export class StepTestsModule {}
