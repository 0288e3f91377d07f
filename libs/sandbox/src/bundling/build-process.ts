import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const WATCH_EVERY_MS = 100;
const PAGE_BYTES = 4096;

export interface BuildProcessOptions {
  /** A compiled entry that answers each message with one of its own, and ends its group when the channel closes. */
  script: string;
  args?: readonly string[];
  /**
   * All that the process may read, besides its own folder, where it may also write; without it, whatever its user may.
   * Programs that it starts are not bound by this.
   */
  mayRead?: readonly string[];
  /** Most memory of the process and of those it started. Counted on Linux; elsewhere only its own heap is bounded. */
  memoryMb: number;
}

export type BuildFailureKind = 'time' | 'memory' | 'died';

/** Thrown when a build had to be ended, or ended by itself. */
export class BuildProcessError extends Error {
  constructor(readonly kind: BuildFailureKind) {
    super({ time: 'It took too long.', memory: 'It needed too much memory.', died: 'Its process ended.' }[kind]);
  }
}

/**
 * A child process that works on guest code before it runs: without our environment, in a folder of its own, under
 * limits. It and whatever it started end together: at a limit, by `end`, and when this process ends in any way.
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
    // A warm process is no reason for this one to stay.
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

  /** Sends one request and waits for its answer. The process is ended when that takes too long or too much memory. */
  async ask<Answer>(request: object, timeoutMs: number): Promise<Answer> {
    const { child } = this;
    return new Promise<Answer>((resolve, reject) => {
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        clearInterval(watch);
        child.off('message', answer).off('exit', died).off('error', died);
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
      if (this.hasEnded) return died();
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

/** Ends a process that leads a group, and the whole group. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** In the child: it was made for one parent, and is nothing without it. */
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
 * The flags that let a process read nothing but what lies beneath these folders (and write there, when asked). Each
 * folder must exist; none may lie in another.
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

/** Resident memory of a process and of all that descend from it; 0 where the kernel does not say. */
function treeMemoryMb(pid: number | undefined): number {
  if (process.platform !== 'linux' || pid === undefined) return 0;
  const [, pages = 0] = readProc(`${pid}/statm`);
  const children = readProc(`${pid}/task/${pid}/children`);
  const own = (pages * PAGE_BYTES) / (1024 * 1024);
  return children.reduce((sum, child) => sum + treeMemoryMb(child), own);
}

/** The numbers in a file of /proc; none for a process that has just ended. */
function readProc(file: string): number[] {
  try {
    return readFileSync(`/proc/${file}`, 'utf8').trim().split(/\s+/).filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
