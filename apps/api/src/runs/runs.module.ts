import { Module } from '@nestjs/common';
import { FlowsModule } from '../flows/flows.module';
import { RunsController } from './runs.controller';
import { RunsService } from './runs.service';
import { TestRunsController } from './test-runs.controller';
import { TestRunsService } from './test-runs.service';
import { TestingRuns } from './testing-runs';

@Module({
  imports: [FlowsModule],
  controllers: [RunsController, TestRunsController],
  providers: [RunsService, TestRunsService, TestingRuns],
  exports: [TestingRuns],
})
export class RunsModule {}
