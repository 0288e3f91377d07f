import { Module } from '@nestjs/common';
import { FilesModule } from '../files/files.module';
import { RunStepsController } from './run-steps.controller';
import { RunStepsService } from './run-steps.service';

/** The steps of a run in parts, for runs that are too large to be read at once. */
@Module({ imports: [FilesModule], controllers: [RunStepsController], providers: [RunStepsService] })
export class RunStepsModule {}
