/**
 * Makes of a package that needs others a package that needs none, for hosts of pieces (ADR 0106). Its dependencies are
 * installed as those of code steps are, and are bundled in a process of its own.
 */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join, relative } from 'node:path';
import { BUILD_MEMORY_MB } from './build-memory';
import { BuildProcess, BuildProcessError } from './build-process';
import type { PackageBundle } from './bundle-package';
import type { BundleRequest } from './bundle-process';
import { isProblem, type BundleProblem } from './code-bundle';
import { readByBundling } from './code-bundler';
import { isFromRegistry, isPackageName } from './dependencies';
import { NpmInstallations, type NpmInstallationsOptions } from './npm-installations';
import type { PackageCache } from './package-cache';

const MOST_DEPENDENCIES = 100;
const BUNDLE_LIMITS = { timeMs: 60_000, memoryMb: BUILD_MEMORY_MB.bundleWithPackages };
const MANIFEST = 'package.json';
const LOCK = 'package-lock.json';
/** What an archive may have at its top that would tell npm what to do, or that npm makes anew. */
const NOT_KEPT = [MANIFEST, LOCK, 'npm-shrinkwrap.json', '.npmrc', 'node_modules'];

/** An unpacked package. */
export interface PackageToBuild {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  /** The path of its main module in the folder. */
  readonly main: string;
  readonly dependencies: Readonly<Record<string, string>>;
  /** The lock file of its first installation, which later ones obey. */
  readonly lock: string | null;
}

export interface BuiltPackage {
  /** What was installed, as a lock file that names no registry. */
  readonly lock: string;
  /** The whole package as one module, or why it cannot be one. */
  readonly bundle: PackageBundle | BundleProblem;
  /** A folder with the package and its dependencies, which is there only until the use of it has ended. */
  readonly folder: string;
}

export interface PackageBuilderOptions extends Omit<NpmInstallationsOptions, 'script'> {
  /** The compiled entries. */
  readonly scripts: { readonly bundle: string; readonly install: string };
}

export class PackageBuilder {
  private readonly npm: NpmInstallations;
  private readonly running = new Set<BuildProcess>();
  private isClosed = false;

  constructor(
    private readonly folders: PackageCache,
    private readonly options: PackageBuilderOptions,
  ) {
    this.npm = new NpmInstallations({ ...options, script: options.scripts.install });
  }

  /**
   * Calls `use` with what became of the package, or says why its dependencies cannot be installed. Rejects with
   * InstallationsBusyError when too many installations wait, and with the reason of `signal`.
   */
  async build<T>(
    wanted: PackageToBuild,
    use: (built: BuiltPackage) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T | BundleProblem> {
    const problem = problemIn(wanted);
    if (problem) return problem;
    let workplace: string | undefined;
    try {
      const built = await this.npm.inTurn(async () => {
        workplace = await this.folders.workplace();
        return this.built(wanted, workplace, signal);
      });
      signal?.throwIfAborted();
      return isProblem(built) ? built : await use(built);
    } finally {
      if (workplace !== undefined) await this.folders.clear(workplace);
    }
  }

  /** Ends all processes. What is under way rejects. */
  close(): void {
    this.isClosed = true;
    this.npm.close();
    for (const child of this.running) child.end();
  }

  private async built(
    wanted: PackageToBuild,
    workplace: string,
    signal?: AbortSignal,
  ): Promise<BuiltPackage | BundleProblem> {
    const folder = join(workplace, 'packages');
    await mkdir(folder);
    const { name, version, main, dependencies, lock } = wanted;
    await writeFile(join(folder, MANIFEST), JSON.stringify({ name, version, main, dependencies, private: true }));
    if (lock !== null) await writeFile(join(folder, LOCK), lock);
    const installed = await this.npm.install(workplace, lock === null ? 'write' : 'obey', signal);
    if (isProblem(installed)) return installed;
    await cp(wanted.folder, folder, { recursive: true, filter: (path) => isKept(wanted.folder, path) });
    const bundle = await this.bundle(folder, main, signal);
    return { lock: await readFile(join(folder, LOCK), 'utf8'), folder, bundle };
  }

  private async bundle(folder: string, main: string, signal?: AbortSignal): Promise<PackageBundle | BundleProblem> {
    const script = this.options.scripts.bundle;
    if (this.isClosed) throw new BuildProcessError('died');
    const esbuild = createRequire(script).resolve('esbuild');
    const child = BuildProcess.start({
      script,
      args: [esbuild, folder],
      mayRead: readByBundling(script, folder),
      memoryMb: BUNDLE_LIMITS.memoryMb,
    });
    this.running.add(child);
    try {
      const request: BundleRequest = { main };
      return await child.ask<PackageBundle | BundleProblem>(request, BUNDLE_LIMITS.timeMs, signal);
    } catch (error) {
      if (!(error instanceof BuildProcessError) || this.isClosed) throw error;
      return { problem: `Bundling has failed: ${error.message}` };
    } finally {
      child.end();
      this.running.delete(child);
    }
  }
}

function problemIn({ dependencies }: PackageToBuild): BundleProblem | undefined {
  const entries = Object.entries(dependencies);
  if (entries.length > MOST_DEPENDENCIES)
    return { problem: `A package depends on at most ${MOST_DEPENDENCIES} others.` };
  const stray = entries.find(([name, wanted]) => !isPackageName(name) || !isFromRegistry(wanted));
  return stray && { problem: `The package depends on "${stray[0]}", which does not come from the registry.` };
}

const isKept = (root: string, path: string): boolean =>
  relative(root, path) !== basename(path) || !NOT_KEPT.includes(basename(path));
