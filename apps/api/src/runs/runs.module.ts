import { Module } from '@nestjs/common';
import { FilesModule } from '../files/files.module';
import { FlowsModule } from '../flows/flows.module';
import { BulkRunsController } from './bulk-runs.controller';
import { BulkRunsService } from './bulk-runs.service';
import { NestedRunsController } from './nested-runs.controller';
import { NestedRunsService } from './nested-runs.service';
import { RunsController } from './runs.controller';
import { RunsService } from './runs.service';
import { TestRunsController } from './test-runs.controller';
import { TestRunsService } from './test-runs.service';
import { TestRunIntake } from './test-run-intake';

@Module({
  imports: [FilesModule, FlowsModule],
  controllers: [RunsController, BulkRunsController, NestedRunsController, TestRunsController],
  providers: [RunsService, BulkRunsService, NestedRunsService, TestRunsService, TestRunIntake],
  exports: [TestRunIntake],
})
export class RunsModule {}
