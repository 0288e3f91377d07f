import { Module } from '@nestjs/common';
import { join } from 'node:path';
import { API_SETTINGS, type ApiSettings } from '../config';
import { CodeCompiler, PACKAGE_CACHE_DIR } from './code-compiler';
import { FlowsController } from './flows.controller';
import { FlowsService } from './flows.service';
import { VersionChecker } from './version-checker';

@Module({
  controllers: [FlowsController],
  providers: [
    FlowsService,
    VersionChecker,
    CodeCompiler,
    {
      provide: PACKAGE_CACHE_DIR,
      inject: [API_SETTINGS],
      useFactory: ({ SVC_DATA_DIR }: ApiSettings) => join(SVC_DATA_DIR, 'packages'),
    },
  ],
})
export class FlowsModule {}
