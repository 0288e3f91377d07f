import { mkdir, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { BUILD_MEMORY_MB } from './build-memory';
import { BuildProcess, BuildProcessError } from './build-process';
import type { InstallAnswer, InstallRequest, LockUse } from './install-process';
import { findNpm, registryOfTheMachine } from './registry-of-the-machine';
import type { RegistrySettings } from './registry-settings';

const MOST_WAITING = 20;

export const INSTALL_LIMITS = {
  timeMs: 120_000,
  memoryMb: BUILD_MEMORY_MB.install,
  npmHeapMb: 512,
  documentBytes: 64 * 1024 * 1024,
  archiveBytes: 100 * 1024 * 1024,
  unpackedBytes: 300 * 1024 * 1024,
};

export interface NpmInstallationsOptions {
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
 * Runs npm in a child process, one installation after the other. Packages come only from the registry that the settings
 * of the machine name, and their scripts never run.
 */
export class NpmInstallations {
  readonly limits: typeof INSTALL_LIMITS;
  private readonly line = pLimit(1);
  private current: BuildProcess | undefined;
  private isClosed = false;

  constructor(private readonly options: NpmInstallationsOptions) {
    this.limits = { ...INSTALL_LIMITS, ...options.limits };
  }

  /** The most that one installation takes on the disk. */
  get mostBytes(): number {
    const { archiveBytes, unpackedBytes, documentBytes } = this.limits;
    return archiveBytes + unpackedBytes + documentBytes;
  }

  /** Does the work when the installations before it have ended. Rejects with InstallationsBusyError when many wait. */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.line.pendingCount >= MOST_WAITING) throw new InstallationsBusyError();
    return this.line(work);
  }

  /**
   * Installs what the `package.json` in the folder `packages` of the workplace needs, beside it. Says why when that is
   * not possible. `signal` ends it, also with a problem.
   */
  async install(workplace: string, lock: LockUse = 'none', signal?: AbortSignal): Promise<InstallAnswer> {
    await mkdir(join(workplace, 'home'));
    const answer = await this.run(workplace, lock, signal);
    if (!('problem' in answer)) await removeLinks(join(workplace, 'packages'));
    return answer;
  }

  close(): void {
    this.isClosed = true;
    this.line.clearQueue();
    this.current?.end();
  }

  private async run(folder: string, lock: LockUse, signal?: AbortSignal): Promise<InstallAnswer> {
    const npmCli = findNpm();
    const registry = this.options.registry ?? (await registryOfTheMachine());
    if (npmCli === undefined || registry === undefined)
      return { problem: couldNot('npm is not installed on this machine') };
    const { memoryMb, timeMs } = this.limits;
    this.current = BuildProcess.start({ script: this.options.script, memoryMb });
    if (this.isClosed) this.current.end();
    try {
      const request: InstallRequest = { registry, npmCli, folder, lock, limits: this.limits };
      return await this.current.ask<InstallAnswer>(request, timeMs, signal);
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
