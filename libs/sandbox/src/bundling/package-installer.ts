import { createHash } from 'node:crypto';
import { mkdir, readdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { BUILD_MEMORY_MB } from './build-memory';
import { BuildProcess, BuildProcessError } from './build-process';
import { isProblem, type BundleProblem } from './code-bundle';
import type { Dependencies } from './dependencies';
import type { InstallAnswer, InstallRequest } from './install-process';
import { PackageCache } from './package-cache';
import { findNpm, registryOfTheMachine } from './registry-of-the-machine';
import type { RegistrySettings } from './registry-settings';

const MOST_WAITING = 20;
/** The version of the rules by which packages are installed. A new number keeps older installations from being used. */
const INSTALLED_BY = 2;

const MOST_CACHE_BYTES = 1024 * 1024 * 1024;

export const INSTALL_LIMITS = {
  timeMs: 120_000,
  memoryMb: BUILD_MEMORY_MB.install,
  npmHeapMb: 512,
  documentBytes: 64 * 1024 * 1024,
  archiveBytes: 100 * 1024 * 1024,
  unpackedBytes: 300 * 1024 * 1024,
};

export interface PackageInstallerOptions {
  cacheDir: string;
  /** How many bytes the folder may have, with an installation under way. */
  cacheBytes?: number;
  /** The compiled `install-process`. */
  script: string;
  limits?: Partial<typeof INSTALL_LIMITS>;
  registry?: RegistrySettings;
}

/** Thrown when packages cannot be installed now, but can be soon. */
export class InstallationsBusyError extends Error {
  constructor(reason = 'Too many packages are being installed; try again soon.') {
    super(reason);
  }
}

/**
 * Installs the packages of steps: each set of packages once, and one set at a time. Packages come only from the
 * registry that the settings of the machine name, and their scripts never run. A folder appears in the cache only when
 * it is complete, so two processes may install the same set at the same time.
 */
export class PackageInstaller {
  private readonly line = pLimit(1);
  private readonly cache: PackageCache;
  private readonly limits: typeof INSTALL_LIMITS;
  private readonly underway = new Map<string, Promise<string | BundleProblem>>();
  private current: BuildProcess | undefined;
  private isClosed = false;

  constructor(private readonly options: PackageInstallerOptions) {
    this.limits = { ...INSTALL_LIMITS, ...options.limits };
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
    if (this.line.pendingCount >= MOST_WAITING) throw new InstallationsBusyError();
    const installation = this.line(() => this.install(dependencies, key)).finally(() => this.underway.delete(key));
    this.underway.set(key, installation);
    return installation;
  }

  prune(now: number): Promise<void> {
    return this.cache.prune(now);
  }

  close(): void {
    this.isClosed = true;
    this.line.clearQueue();
    this.current?.end();
  }

  private async install(dependencies: Dependencies, key: string): Promise<string | BundleProblem> {
    const { archiveBytes, unpackedBytes, documentBytes } = this.limits;
    if (!(await this.cache.makeRoom(archiveBytes + unpackedBytes + documentBytes, Date.now())))
      throw new InstallationsBusyError('The packages in use leave no room for others; try again in two minutes.');
    const workplace = await this.cache.workplace();
    try {
      const packages = join(workplace, 'packages');
      await mkdir(packages);
      await mkdir(join(workplace, 'home'));
      const manifest = { private: true, dependencies: Object.fromEntries(dependencies) };
      await writeFile(join(packages, 'package.json'), JSON.stringify(manifest));
      const answer = await this.run(workplace);
      if ('problem' in answer) return answer;
      await removeLinks(packages);
      return await this.cache.add(packages, key);
    } finally {
      await this.cache.clear(workplace);
    }
  }

  private async run(workplace: string): Promise<InstallAnswer> {
    const npmCli = findNpm();
    const registry = this.options.registry ?? (await registryOfTheMachine());
    if (npmCli === undefined || registry === undefined)
      return { problem: couldNot('npm is not installed on this machine') };
    const { memoryMb, timeMs } = this.limits;
    this.current = BuildProcess.start({ script: this.options.script, memoryMb });
    if (this.isClosed) this.current.end();
    try {
      const request: InstallRequest = { registry, npmCli, folder: workplace, limits: this.limits };
      return await this.current.ask<InstallAnswer>(request, timeMs);
    } catch (error) {
      if (!(error instanceof BuildProcessError) || this.isClosed) throw error;
      return { problem: couldNot(reasonOf(error, this.limits)) };
    } finally {
      this.current.end();
    }
  }
}

const couldNot = (reason: string) => `The dependencies could not be installed: ${reason}.`;

function reasonOf({ kind }: BuildProcessError, { timeMs, memoryMb }: typeof INSTALL_LIMITS): string {
  if (kind === 'time') return `npm took longer than ${timeMs / 1000} s`;
  return kind === 'memory' ? `npm needed more than ${memoryMb} MB of memory` : 'npm failed';
}

/** Removes every link. Packages do not need links, and bundling does not follow a link that leads out of the folder. */
async function removeLinks(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await removeLinks(path);
    else if (!entry.isFile()) await unlink(path);
  }
}

function contentHash(dependencies: Dependencies): string {
  const sorted = [...dependencies].sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([INSTALLED_BY, sorted]))
    .digest('hex');
}
