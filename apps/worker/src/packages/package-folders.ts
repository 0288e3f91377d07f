import { join } from 'node:path';
import { PackageStore } from '@millrace/piece-hosts';
import { PackageBuilder, PackageCache } from '@millrace/sandbox';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { WorkerConfig } from '../settings/config';

const MEGABYTE = 1024 * 1024;
const PRUNE_EVERY_MS = 3_600_000;

/** The folder in which a worker unpacks and builds packages of pieces. What no call used for a day is removed. */
export class PackageFolders implements OnApplicationShutdown {
  private readonly logger = new Logger('PieceFolders');
  private readonly pruning: NodeJS.Timeout;

  /** Removes what a worker left that was killed here, before anything is unpacked. */
  static async start(config: Pick<WorkerConfig, 'SVC_DATA_DIR' | 'SVC_PACKAGE_CACHE_MB'>): Promise<PackageFolders> {
    const place = PackageStore.placeIn(join(config.SVC_DATA_DIR, 'pieces'));
    const folders = new PackageFolders(new PackageCache(place, config.SVC_PACKAGE_CACHE_MB * MEGABYTE));
    await folders.prune();
    return folders;
  }

  private constructor(
    readonly cache: PackageCache,
    readonly builder = new PackageBuilder(cache, {
      scripts: { bundle: join(__dirname, 'bundle-process.cjs'), install: join(__dirname, 'install-process.cjs') },
    }),
  ) {
    this.pruning = setInterval(() => void this.prune(), PRUNE_EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.pruning);
    this.builder.close();
  }

  private async prune(): Promise<void> {
    try {
      await this.cache.prune(Date.now());
    } catch (error) {
      this.logger.warn('Unpacked packages of pieces cannot be removed. This is tried again in an hour.', error);
    }
  }
}
