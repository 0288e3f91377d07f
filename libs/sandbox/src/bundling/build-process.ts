import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const WATCH_EVERY_MS = 100;
const PAGE_BYTES = 4096;

export interface BuildProcessOptions {
  /**
   * The compiled entry. It answers each message with one message, and kills its process group when the channel closes.
   */
  script: string;
  args?: readonly string[];
  /**
   * The files and folders that the process may read. It may also read and write its own folder. When this is absent,
   * the process may read and write whatever its user may. The bound does not hold for programs that the process starts.
   */
  mayRead?: readonly string[];
  /**
   * Most memory of the process and its descendants, in MB. Systems other than Linux bound only the heap of the process.
   */
  memoryMb: number;
}

export type BuildFailureKind = 'time' | 'memory' | 'died';

/** Thrown when a build process was killed at a limit, or ended by itself before it answered. */
export class BuildProcessError extends Error {
  constructor(readonly kind: BuildFailureKind) {
    super({ time: 'It took too long.', memory: 'It needed too much memory.', died: 'Its process ended.' }[kind]);
  }
}

/**
 * A child process that compiles guest code or installs its packages. It has no environment of ours, a folder of its
 * own, and limits. The process and everything it started end together: at a limit, by `end`, or when this process ends.
 */
export class BuildProcess {
  hasEnded = false;

  private constructor(
    private readonly child: ChildProcess,
    private readonly home: string,
    private readonly memoryMb: number,
  ) {
    child.once('exit', () => this.end());
    child.once('error', () => this.end());
    // An idle build process must not keep this process alive.
    child.unref();
    child.channel?.unref();
  }

  static start({ script, args = [], mayRead, memoryMb }: BuildProcessOptions): BuildProcess {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-build-')));
    const flags = mayRead ? [...permissions(mayRead, [home]), '--allow-child-process'] : [];
    const child = fork(script, [home, ...args], {
      cwd: home,
      env: { HOME: home, TMPDIR: home },
      execArgv: [...flags, `--max-old-space-size=${memoryMb}`, '--no-warnings'],
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    return new BuildProcess(child, home, memoryMb);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /**
   * Sends one request and resolves with its answer. Rejects with a BuildProcessError, after killing the process, when
   * the answer takes longer than `timeoutMs` or too much memory, when `signal` aborts, or when the process ends first.
   */
  async ask<Answer>(request: object, timeoutMs: number, signal?: AbortSignal): Promise<Answer> {
    const { child } = this;
    return new Promise<Answer>((resolve, reject) => {
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        clearInterval(watch);
        child.off('message', answer).off('exit', died).off('error', died);
        signal?.removeEventListener('abort', died);
        finish();
      };
      const fail = (kind: BuildFailureKind) =>
        settle(() => {
          this.end();
          reject(new BuildProcessError(kind));
        });
      const answer = (message: unknown) => settle(() => resolve(message as Answer));
      const died = () => fail('died');
      const watch = setInterval(() => {
        if (treeMemoryMb(child.pid) > this.memoryMb) fail('memory');
      }, WATCH_EVERY_MS);
      const timer = setTimeout(() => fail('time'), timeoutMs);
      if (this.hasEnded || signal?.aborted) return died();
      signal?.addEventListener('abort', died, { once: true });
      child.once('message', answer).once('exit', died).once('error', died);
      child.send(request);
    });
  }

  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    endGroup(this.child.pid);
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** Kills the process group that this process leads. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Runs in the child. When the parent ends, the child deletes its folder and kills its process group. */
export function endWithParent(home: string): void {
  process.once('disconnect', () => {
    try {
      rmSync(home, { recursive: true, force: true });
    } finally {
      process.kill(-process.pid, 'SIGKILL');
    }
  });
}

/**
 * The Node.js flags that let a process read only beneath the folders in `read` and `write`, and write only beneath
 * those in `write`. Each folder must exist, and none may lie inside another.
 */
export function permissions(read: readonly string[], write: readonly string[] = []): string[] {
  const known = process.allowedNodeEnvironmentFlags;
  return [
    known.has('--permission') ? '--permission' : '--experimental-permission',
    ...(known.has('--allow-net') ? ['--allow-net'] : []),
    ...readable([...read, ...write]),
    ...write.map((folder) => `--allow-fs-write=${join(folder, '*')}`),
  ];
}

const readable = (folders: readonly string[]): string[] =>
  folders.map((folder) => `--allow-fs-read=${folder.endsWith('.cjs') ? folder : join(folder, '*')}`);

/** The resident memory of a process and its descendants, in MB. The result is 0 on systems other than Linux. */
function treeMemoryMb(pid: number | undefined): number {
  if (process.platform !== 'linux' || pid === undefined) return 0;
  const [, pages = 0] = readProc(`${pid}/statm`);
  const children = readProc(`${pid}/task/${pid}/children`);
  const own = (pages * PAGE_BYTES) / (1024 * 1024);
  return children.reduce((sum, child) => sum + treeMemoryMb(child), own);
}

/** The numbers in a file of /proc. The list is empty when the process has just ended. */
function readProc(file: string): number[] {
  try {
    return readFileSync(`/proc/${file}`, 'utf8').trim().split(/\s+/).filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
