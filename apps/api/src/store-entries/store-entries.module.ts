import { Module } from '@nestjs/common';
import { StoreEntriesController } from './store-entries.controller';
import { StoreEntriesService } from './store-entries.service';

@Module({ controllers: [StoreEntriesController], providers: [StoreEntriesService] })
export class StoreEntriesModule {}
