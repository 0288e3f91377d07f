import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { FileStore, RunLogs } from '@millrace/domain';
import { Pool } from 'pg';
import type { FileStorage, StorageName } from '../files/file-storage';
import type { FileSettings } from '../files/files.env';
import { PostgresFileStorage } from '../files/postgres-file-storage';
import { PostgresFileStore } from '../files/postgres-file-store';
import { PostgresRunLogs } from '../files/postgres-run-logs';
import { S3FileStorage } from '../files/s3-file-storage';

const S3 = Symbol('S3FileStorage');

/** Provides FileStore and RunLogs. It needs PostgresModule. It is global: an app imports it once. */
@Module({})
export class FileStoreModule implements OnApplicationShutdown {
  constructor(@Inject(S3) private readonly s3: S3FileStorage | null) {}

  static forRoot(settings: FileSettings): DynamicModule {
    return {
      module: FileStoreModule,
      global: true,
      providers: [
        { provide: S3, useFactory: () => (settings.s3 ? new S3FileStorage(settings.s3) : null) },
        {
          provide: FileStore,
          inject: [Pool, S3],
          useFactory: (pool: Pool, s3: S3FileStorage | null) => openFileStore(pool, settings.chosen, s3),
        },
        { provide: RunLogs, useClass: PostgresRunLogs },
      ],
      exports: [FileStore, RunLogs],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.s3?.close();
  }
}

function openFileStore(pool: Pool, chosen: StorageName, s3: S3FileStorage | null): PostgresFileStore {
  const byName = new Map<StorageName, FileStorage>([['DB', new PostgresFileStorage(pool)]]);
  if (s3) byName.set('S3', s3);
  return new PostgresFileStore(pool, { chosen, byName });
}
