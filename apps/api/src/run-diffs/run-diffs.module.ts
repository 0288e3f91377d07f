import { Module } from '@nestjs/common';
import { RunDiffsController } from './run-diffs.controller';
import { RunDiffsService } from './run-diffs.service';

@Module({ controllers: [RunDiffsController], providers: [RunDiffsService] })
export class RunDiffsModule {}
