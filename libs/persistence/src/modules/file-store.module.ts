import { Module, type DynamicModule } from '@nestjs/common';
import { FileStore, RunLogs } from '@millrace/domain';
import { ConfiguredStorages } from '../files/configured-storages';
import { FileSettings } from '../files/file-settings';
import { FileStorages, PostgresFileStore } from '../files/postgres-file-store';
import { PostgresRunLogs } from '../files/postgres-run-logs';

/** Provides FileStore and RunLogs. It needs PostgresModule. It is global: an app imports it once. */
@Module({})
export class FileStoreModule {
  static forRoot(settings: FileSettings): DynamicModule {
    return {
      module: FileStoreModule,
      global: true,
      providers: [
        { provide: FileSettings, useValue: settings },
        { provide: FileStorages, useClass: ConfiguredStorages },
        { provide: FileStore, useClass: PostgresFileStore },
        { provide: RunLogs, useClass: PostgresRunLogs },
      ],
      exports: [FileStore, RunLogs],
    };
  }
}
