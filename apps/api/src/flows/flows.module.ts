import { Module } from '@nestjs/common';
import { CodeBundleStore } from '@millrace/domain';
import { bundleCode } from '@millrace/sandbox';
import { join } from 'node:path';
import { API_SETTINGS, type ApiSettings } from '../config';
import { CodeCompiler } from './code-compiler';
import { FlowsController } from './flows.controller';
import { FlowsService } from './flows.service';
import { VersionChecker } from './version-checker';

@Module({
  controllers: [FlowsController],
  providers: [
    FlowsService,
    VersionChecker,
    {
      provide: CodeCompiler,
      inject: [API_SETTINGS, CodeBundleStore],
      useFactory: ({ SVC_DATA_DIR }: ApiSettings, store: CodeBundleStore) => {
        const options = { packageCacheDir: join(SVC_DATA_DIR, 'packages') };
        return new CodeCompiler(store, (source) => bundleCode(source, options));
      },
    },
  ],
})
export class FlowsModule {}
