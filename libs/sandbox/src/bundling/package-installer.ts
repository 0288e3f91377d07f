import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, realpath, rename, rm, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pLimit from 'p-limit';
import { BuildProcess, BuildProcessError } from './build-process';
import type { BundleProblem } from './code-bundle';
import type { Dependencies } from './dependencies';
import type { InstallAnswer, InstallRequest } from './install-process';
import { readRegistrySettings, type RegistrySettings } from './registry-settings';

const MOST_WAITING = 20;
const HOUR_MS = 3_600_000;
/** Packages that no bundle used for this long are removed. Bundles are stored, so packages serve only later bundles. */
const UNUSED_MS = 24 * HOUR_MS;
/** The version of the rules by which packages are installed. A new number keeps older installations from being used. */
const INSTALLED_BY = 2;
const WORKPLACE = '.installing-';

export const INSTALL_LIMITS = {
  timeMs: 120_000,
  memoryMb: 1_024,
  npmHeapMb: 512,
  documentBytes: 64 * 1024 * 1024,
  archiveBytes: 100 * 1024 * 1024,
  unpackedBytes: 300 * 1024 * 1024,
};

export interface PackageInstallerOptions {
  cacheDir: string;
  /** The compiled `install-process`. */
  script: string;
  limits?: Partial<typeof INSTALL_LIMITS>;
  registry?: RegistrySettings;
}

/** Thrown when 20 installations wait already, so that another one would wait too long. */
export class InstallationsBusyError extends Error {
  constructor() {
    super('Too many packages are being installed; try again soon.');
  }
}

/**
 * Installs the packages of steps: each set of packages once, and one set at a time. Packages come only from the
 * registry that the settings of the machine name, and their scripts never run. A folder appears in the cache only when
 * it is complete, so two processes may install the same set at the same time.
 */
export class PackageInstaller {
  private readonly line = pLimit(1);
  private readonly limits: typeof INSTALL_LIMITS;
  private readonly underway = new Map<string, Promise<string | BundleProblem>>();
  private current: BuildProcess | undefined;
  private isClosed = false;

  constructor(private readonly options: PackageInstallerOptions) {
    this.limits = { ...INSTALL_LIMITS, ...options.limits };
  }

  /**
   * The path of a folder with these packages, or why they cannot be installed. Rejects with InstallationsBusyError when
   * too many installations wait.
   */
  async folderOf(dependencies: Dependencies): Promise<string | BundleProblem> {
    const key = contentHash(dependencies);
    const folder = join(this.options.cacheDir, key);
    if (existsSync(folder)) return used(folder);
    const underway = this.underway.get(key);
    if (underway) return underway;
    if (this.line.pendingCount >= MOST_WAITING) throw new InstallationsBusyError();
    const installation = this.line(() => this.install(dependencies, folder)).finally(() => this.underway.delete(key));
    this.underway.set(key, installation);
    return installation;
  }

  /** Removes packages that no bundle has used for a day, and unfinished folders that are older than an hour. */
  async prune(now: number): Promise<void> {
    const { cacheDir } = this.options;
    if (!existsSync(cacheDir)) return;
    for (const name of await readdir(cacheDir)) {
      const unusedMs = name.startsWith(WORKPLACE) ? HOUR_MS : UNUSED_MS;
      const usedAt = await lastUse(join(cacheDir, name));
      if (usedAt !== undefined && now - usedAt > unusedMs)
        await rm(join(cacheDir, name), { recursive: true, force: true });
    }
  }

  close(): void {
    this.isClosed = true;
    this.line.clearQueue();
    this.current?.end();
  }

  private async install(dependencies: Dependencies, folder: string): Promise<string | BundleProblem> {
    const { cacheDir } = this.options;
    await mkdir(cacheDir, { recursive: true });
    const workplace = await realpath(await mkdtemp(join(cacheDir, WORKPLACE)));
    try {
      const packages = join(workplace, 'packages');
      await mkdir(packages);
      await mkdir(join(workplace, 'home'));
      const manifest = { private: true, dependencies: Object.fromEntries(dependencies) };
      await writeFile(join(packages, 'package.json'), JSON.stringify(manifest));
      const answer = await this.run(workplace);
      if ('problem' in answer) return answer;
      await removeLinks(packages);
      await moveIntoPlace(packages, folder);
      return await used(folder);
    } finally {
      await rm(workplace, { recursive: true, force: true });
    }
  }

  private async run(workplace: string): Promise<InstallAnswer> {
    const npmCli = findNpm();
    if (npmCli === undefined) return { problem: couldNot('npm is not installed on this machine') };
    const { memoryMb, timeMs } = this.limits;
    const registry = this.options.registry ?? (await registryOfTheMachine(npmCli, join(workplace, 'home')));
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

/** The program of npm: the one beside this Node.js, otherwise the one that the PATH leads to. */
function findNpm(): string | undefined {
  // eslint-disable-next-line no-restricted-properties -- not a setting of ours: where the machine has its programs
  const path = process.env['PATH'] ?? '';
  const candidates = [
    join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js'),
    ...path
      .split(delimiter)
      .flatMap((folder) => [join(folder, 'npm'), join(folder, 'node_modules/npm/bin/npm-cli.js')]),
  ];
  return candidates
    .filter((file) => existsSync(file))
    .map((file) => realpathSync(file))
    .find((file) => file.endsWith('npm-cli.js'));
}

async function registryOfTheMachine(npmCli: string, home: string): Promise<RegistrySettings> {
  // eslint-disable-next-line no-restricted-properties -- not settings of ours: npm's own
  const settings = readRegistrySettings(process.env);
  return settings.url === '' ? { ...settings, url: await usualRegistry(npmCli, home) } : settings;
}

/**
 * The registry that npm uses without any setting. npm is asked with no settings files, and with no environment but a
 * home folder: it does not start for a user that has none.
 */
async function usualRegistry(npmCli: string, home: string): Promise<string> {
  const noSettings = ['user', 'global'].map((kind) => `--${kind}config=${npmCli}.no-${kind}-settings`);
  const { stdout } = await promisify(execFile)(process.execPath, [npmCli, 'config', 'get', 'registry', ...noSettings], {
    cwd: dirname(npmCli),
    env: { HOME: home },
    timeout: 30_000,
  });
  return stdout.trim();
}

/** Removes every link. Packages do not need links, and bundling does not follow a link that leads out of the folder. */
async function removeLinks(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await removeLinks(path);
    else if (!entry.isFile()) await unlink(path);
  }
}

async function moveIntoPlace(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    // Another process moved its folder here first, and that folder has the same content.
    if (!existsSync(to)) throw error;
  }
}

/** Marks the packages as used now, so that `prune` keeps them, and returns their real path. */
async function used(folder: string): Promise<string> {
  const now = new Date();
  await utimes(folder, now, now);
  return realpath(folder);
}

/** When this was used last; undefined when another process has just removed it. */
async function lastUse(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function contentHash(dependencies: Dependencies): string {
  const sorted = [...dependencies].sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([INSTALLED_BY, sorted]))
    .digest('hex');
}
