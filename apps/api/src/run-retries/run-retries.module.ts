import { Module } from '@nestjs/common';
import { FlowsModule } from '../flows/flows.module';
import { BulkRetriesService } from './bulk-retries.service';
import { PacedRetriesController } from './paced-retries.controller';
import { PacedRetriesService } from './paced-retries.service';
import { PacedRetryRunner } from './paced-retry-runner';
import { RetriesOfMany } from './retries-of-many';
import { RunsToRetry } from './runs-to-retry';
import { RerunVersions, RunRerunsService } from './run-reruns.service';
import { RunRetriesController } from './run-retries.controller';
import { RunRetriesService } from './run-retries.service';

@Module({
  imports: [FlowsModule],
  controllers: [RunRetriesController, PacedRetriesController],
  providers: [
    RunsToRetry,
    RunRetriesService,
    RetriesOfMany,
    BulkRetriesService,
    PacedRetriesService,
    PacedRetryRunner,
    RerunVersions,
    RunRerunsService,
  ],
})
export class RunRetriesModule {}
