import { Module } from '@nestjs/common';
import { FlowsModule } from '../flows/flows.module';
import { BulkRetriesService } from './bulk-retries.service';
import { RunsToRetry } from './runs-to-retry';
import { RerunVersions, RunRerunsService } from './run-reruns.service';
import { RunRetriesController } from './run-retries.controller';
import { RunRetriesService } from './run-retries.service';

@Module({
  imports: [FlowsModule],
  controllers: [RunRetriesController],
  providers: [RunsToRetry, RunRetriesService, BulkRetriesService, RerunVersions, RunRerunsService],
})
export class RunRetriesModule {}
