/**
 * Turns an author's source into a script for the sandbox. A source is untrusted before it runs, too, because it chooses
 * what is read, fetched and unpacked. So child processes do all the work on it (ADR 0016).
 */
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { realpathSync } from 'node:fs';
import pLimit from 'p-limit';
import { BUILD_MEMORY_MB } from './build-memory';
import { BuildProcess, BuildProcessError } from './build-process';
import { isProblem, type BundleProblem, type CodeBundle, type CodeSource } from './code-bundle';
import { readDependencies } from './dependencies';
import { PackageInstaller, type PackageInstallerOptions } from './package-installer';

const MOST_SOURCE_BYTES = 1024 * 1024;
const BUNDLE_LIMITS = {
  timeMs: 15_000,
  memoryMb: BUILD_MEMORY_MB.bundle,
  withPackagesMs: 60_000,
  withPackagesMemoryMb: BUILD_MEMORY_MB.bundleWithPackages,
};
/** The process for sources without packages takes about 60 MB, so it ends when it has been idle for this long. */
const IDLE_MS = 15_000;
const PRUNE_EVERY_MS = 3_600_000;

export interface CodeBundlerOptions {
  /** The folder of the installed packages. When it is absent, sources cannot have dependencies. */
  packageCacheDir?: string;
  /** How many bytes that folder may have. */
  packageCacheBytes?: number;
  /** The compiled entries. The default is the files beside the running bundle. */
  scripts?: { bundle: string; install: string };
  limits?: Partial<typeof BUNDLE_LIMITS>;
  installer?: Pick<PackageInstallerOptions, 'limits' | 'registry'>;
  /** Is told why old packages could not be removed. The removal is tried again in an hour. */
  onPruningFailed?: (cause: unknown) => void;
}

export class CodeBundler {
  private readonly scripts: { bundle: string; install: string };
  private readonly limits: typeof BUNDLE_LIMITS;
  private readonly installer: PackageInstaller | undefined;
  /**
   * Sources without packages take a few milliseconds each, so they take turns in one process that stays for a while.
   */
  private readonly plainLine = pLimit(1);
  private warm: BuildProcess | undefined;
  private idle: NodeJS.Timeout | undefined;
  private readonly packagesLine = pLimit(1);
  private readonly pruning: NodeJS.Timeout | undefined;
  private readonly running = new Set<BuildProcess>();
  private isClosed = false;

  constructor(options: CodeBundlerOptions = {}) {
    const { packageCacheDir, packageCacheBytes, scripts, limits, installer, onPruningFailed } = options;
    this.scripts = scripts ?? {
      bundle: join(__dirname, 'bundle-process.cjs'),
      install: join(__dirname, 'install-process.cjs'),
    };
    this.limits = { ...BUNDLE_LIMITS, ...limits };
    if (packageCacheDir === undefined) return;
    const packages = new PackageInstaller({
      ...installer,
      cacheDir: packageCacheDir,
      ...(packageCacheBytes !== undefined && { cacheBytes: packageCacheBytes }),
      script: this.scripts.install,
    });
    this.installer = packages;
    const prune = () => void packages.prune(Date.now()).catch((error: unknown) => onPruningFailed?.(error));
    this.pruning = setInterval(prune, PRUNE_EVERY_MS).unref();
  }

  /**
   * Installs the packages of a source, strips its types and bundles both. A source that cannot be bundled gives a
   * BundleProblem. Rejects with InstallationsBusyError when packages cannot be installed now.
   */
  async bundle(source: CodeSource): Promise<CodeBundle | BundleProblem> {
    if (Buffer.byteLength(source.code) > MOST_SOURCE_BYTES) return { problem: 'The code is longer than 1 MiB.' };
    const dependencies = readDependencies(source.packageJson);
    if (isProblem(dependencies)) return dependencies;
    if (dependencies.size === 0) return this.plainLine(() => this.bundlePlain(source.code));
    if (!this.installer)
      return { problem: 'Code steps cannot have dependencies here: no package cache is configured.' };
    return this.installer.using(dependencies, (folder) =>
      this.packagesLine(() => this.bundleWith(folder, source.code)),
    );
  }

  /** Ends all processes. The promises of bundles that are under way reject. */
  close(): void {
    this.isClosed = true;
    clearInterval(this.pruning);
    clearTimeout(this.idle);
    this.installer?.close();
    for (const process of this.running) process.end();
  }

  private async bundlePlain(code: string): Promise<CodeBundle | BundleProblem> {
    clearTimeout(this.idle);
    if (!this.warm || this.warm.hasEnded) this.warm = this.start(this.limits.memoryMb);
    try {
      return await this.ask(this.warm, code, this.limits);
    } finally {
      this.idle = setTimeout(() => this.warm && this.end(this.warm), IDLE_MS).unref();
    }
  }

  /** Bundles in a new process, which can read this folder of packages and no other tenant's. */
  private async bundleWith(folder: string, code: string): Promise<CodeBundle | BundleProblem> {
    const { withPackagesMs: timeMs, withPackagesMemoryMb: memoryMb } = this.limits;
    const process = this.start(memoryMb, folder);
    try {
      return await this.ask(process, code, { timeMs, memoryMb });
    } finally {
      this.end(process);
    }
  }

  private async ask(
    process: BuildProcess,
    code: string,
    { timeMs, memoryMb }: { timeMs: number; memoryMb: number },
  ): Promise<CodeBundle | BundleProblem> {
    try {
      return await process.ask<CodeBundle | BundleProblem>({ code }, timeMs);
    } catch (error) {
      this.end(process);
      if (!(error instanceof BuildProcessError) || this.isClosed) throw error;
      if (error.kind === 'died') return { problem: 'The code cannot be compiled: the compiler broke on it.' };
      const limit = error.kind === 'time' ? `${timeMs / 1000} s` : `${memoryMb} MB of memory`;
      return { problem: `Compiling the code took more than the limit of ${limit}.` };
    }
  }

  private start(memoryMb: number, folder?: string): BuildProcess {
    if (this.isClosed) throw new BuildProcessError('died');
    const process = BuildProcess.start({
      script: this.scripts.bundle,
      args: [require.resolve('esbuild'), ...(folder === undefined ? [] : [folder])],
      mayRead: readByBundling(this.scripts.bundle, folder),
      memoryMb,
    });
    this.running.add(process);
    return process;
  }

  private end(process: BuildProcess): void {
    process.end();
    this.running.delete(process);
  }
}

/** All that a bundling process may read: its program, the compiler and the packages of the step. */
export function readByBundling(script: string, folder: string | undefined): string[] {
  const esbuild = createRequire(require.resolve('esbuild'));
  const code = [
    script,
    dirname(esbuild.resolve('esbuild/package.json')),
    dirname(esbuild.resolve(`@esbuild/${process.platform}-${process.arch}/package.json`)),
    dirname(require.resolve('resolve.exports/package.json')),
  ].map((path) => realpathSync(path));
  return folder === undefined ? code : [...code, folder];
}
