import { Module } from '@nestjs/common';
import { BackfillsController } from './backfills.controller';
import { BackfillsService } from './backfills.service';

@Module({ controllers: [BackfillsController], providers: [BackfillsService] })
export class BackfillsModule {}
