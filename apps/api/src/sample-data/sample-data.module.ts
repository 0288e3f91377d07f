import { Module } from '@nestjs/common';
import { RunSamplesController } from './run-samples.controller';
import { RunSamplesService } from './run-samples.service';
import { SampleDataController } from './sample-data.controller';
import { SampleDataService } from './sample-data.service';

@Module({
  controllers: [SampleDataController, RunSamplesController],
  providers: [SampleDataService, RunSamplesService],
})
export class SampleDataModule {}
