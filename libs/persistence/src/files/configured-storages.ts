import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Pool } from 'pg';
import type { FileStorage, StorageName } from './file-storage';
import { FileSettings } from './file-settings';
import { PostgresFileStorage } from './postgres-file-storage';
import { FileStorages } from './postgres-file-store';
import { S3FileStorage } from './s3-file-storage';

/** The storages that the settings name: always the database, and the bucket when there is one. */
@Injectable()
export class ConfiguredStorages extends FileStorages implements OnApplicationShutdown {
  readonly chosen: StorageName;
  readonly byName: ReadonlyMap<StorageName, FileStorage>;
  private readonly s3: S3FileStorage | null;

  constructor(pool: Pool, { chosen, s3 }: FileSettings) {
    super();
    this.chosen = chosen;
    this.s3 = s3 && new S3FileStorage(s3);
    const byName = new Map<StorageName, FileStorage>([['DB', new PostgresFileStorage(pool)]]);
    if (this.s3) byName.set('S3', this.s3);
    this.byName = byName;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.s3?.close();
  }
}
