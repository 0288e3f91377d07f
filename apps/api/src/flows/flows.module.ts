import { Inject, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { TriggerRegistry } from '@millrace/domain';
import { CodeBundler } from '@millrace/sandbox';
import { join } from 'node:path';
import { API_SETTINGS, type ApiSettings } from '../settings/config';
import { AwaitedOperations } from './awaited-operations';
import { CodeCompiler } from './code-compiler';
import { FlowCreation } from './flow-creation.service';
import { FlowOperations } from './flow-operations.service';
import { FlowVersionsController } from './flow-versions.controller';
import { FlowVersionsService } from './flow-versions.service';
import { FlowsController } from './flows.controller';
import { FlowsService } from './flows.service';
import { LiveTriggers } from './live-triggers';
import { ShownFlows } from './shown-flows';
import { StartingPoints } from './starting-points';
import { BuiltInTriggers } from './trigger-registrations';
import { VersionChecker } from './version-checker';

const MEGABYTE = 1024 * 1024;

@Module({
  controllers: [FlowsController, FlowVersionsController],
  providers: [
    FlowsService,
    FlowVersionsService,
    FlowCreation,
    FlowOperations,
    ShownFlows,
    StartingPoints,
    AwaitedOperations,
    LiveTriggers,
    VersionChecker,
    { provide: TriggerRegistry, useClass: BuiltInTriggers },
    CodeCompiler,
    {
      provide: CodeBundler,
      inject: [API_SETTINGS],
      useFactory: ({ SVC_DATA_DIR, SVC_PACKAGE_CACHE_MB }: ApiSettings) =>
        new CodeBundler({
          packageCacheDir: join(SVC_DATA_DIR, 'packages'),
          packageCacheBytes: SVC_PACKAGE_CACHE_MB * MEGABYTE,
          onPruningFailed: (cause) =>
            new Logger('Packages').warn('Old packages of code steps cannot be removed.', cause),
        }),
    },
  ],
  exports: [AwaitedOperations, FlowOperations, VersionChecker],
})
export class FlowsModule implements OnApplicationShutdown {
  constructor(@Inject(CodeBundler) private readonly bundler: CodeBundler) {}

  onApplicationShutdown(): void {
    this.bundler.close();
  }
}
