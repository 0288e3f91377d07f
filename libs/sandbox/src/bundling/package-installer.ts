import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isProblem, type BundleProblem } from './code-bundle';
import type { Dependencies } from './dependencies';
import { InstallationsBusyError, NpmInstallations, type NpmInstallationsOptions } from './npm-installations';
import { PackageCache } from './package-cache';

/** The version of the rules by which packages are installed. A new number keeps older installations from being used. */
const INSTALLED_BY = 2;

const MOST_CACHE_BYTES = 1024 * 1024 * 1024;

export interface PackageInstallerOptions extends NpmInstallationsOptions {
  cacheDir: string;
  /** How many bytes the folder may have, with an installation under way. */
  cacheBytes?: number;
}

/**
 * Installs the packages of steps: each set of packages once, and one set at a time. Packages come only from the
 * registry that the settings of the machine name, and their scripts never run. A folder appears in the cache only when
 * it is complete, so two processes may install the same set at the same time.
 */
export class PackageInstaller {
  private readonly npm: NpmInstallations;
  private readonly cache: PackageCache;
  private readonly underway = new Map<string, Promise<string | BundleProblem>>();

  constructor(options: PackageInstallerOptions) {
    this.npm = new NpmInstallations(options);
    this.cache = new PackageCache(options.cacheDir, options.cacheBytes ?? MOST_CACHE_BYTES);
  }

  /** Calls `work` with the folder of these packages, which stays meanwhile. Else as `folderOf`. */
  async using<T>(
    dependencies: Dependencies,
    work: (folder: string) => Promise<T | BundleProblem>,
  ): Promise<T | BundleProblem> {
    return this.cache.holding(contentHash(dependencies), async () => {
      const folder = await this.folderOf(dependencies);
      return isProblem(folder) ? folder : work(folder);
    });
  }

  /**
   * The path of a folder with these packages, or why they cannot be installed. Rejects with InstallationsBusyError when
   * too many installations wait, or when packages in use leave no room.
   */
  async folderOf(dependencies: Dependencies): Promise<string | BundleProblem> {
    const key = contentHash(dependencies);
    const installed = this.cache.has(key) ? await this.cache.use(key) : undefined;
    if (installed !== undefined) return installed;
    const underway = this.underway.get(key);
    if (underway) return underway;
    const installation = this.npm
      .inTurn(() => this.install(dependencies, key))
      .finally(() => this.underway.delete(key));
    this.underway.set(key, installation);
    return installation;
  }

  prune(now: number): Promise<void> {
    return this.cache.prune(now);
  }

  close(): void {
    this.npm.close();
  }

  private async install(dependencies: Dependencies, key: string): Promise<string | BundleProblem> {
    if (!(await this.cache.makeRoom(this.npm.mostBytes, Date.now())))
      throw new InstallationsBusyError('The packages in use leave no room for others; try again in two minutes.');
    const workplace = await this.cache.workplace();
    try {
      const packages = join(workplace, 'packages');
      await mkdir(packages);
      const manifest = { private: true, dependencies: Object.fromEntries(dependencies) };
      await writeFile(join(packages, 'package.json'), JSON.stringify(manifest));
      const answer = await this.npm.install(workplace);
      if ('problem' in answer) return answer;
      return await this.cache.add(packages, key);
    } finally {
      await this.cache.clear(workplace);
    }
  }
}

function contentHash(dependencies: Dependencies): string {
  const sorted = [...dependencies].sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([INSTALLED_BY, sorted]))
    .digest('hex');
}
