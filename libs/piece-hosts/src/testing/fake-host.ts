import { HostPool, type HostPoolOptions, type PooledHost } from '../pool/host-pool';
import type { HostAnswer } from '../process/host-call';
import { HostFailure } from '../process/host-failure';

/** What the folders of some packages lead to when they are loaded. */
const FAILURES = new Map([
  ['fatal', new HostFailure('ended', 'The piece ended its process.')],
  ['endless', new HostFailure('time', 'The piece reached its time limit.')],
]);

/** A host whose calls end when a test says so. */
export class FakeHost implements PooledHost {
  hasEnded = false;
  memoryMb = 50;
  isHarmed = false;
  package = '';
  private ending: { resolve(answer: HostAnswer): void; reject(error: Error): void } | null = null;

  load(folder: string): Promise<HostAnswer> {
    this.package = folder;
    const failure = FAILURES.get(folder);
    if (failure) return Promise.reject(failure);
    return Promise.resolve(
      folder === 'broken' ? { error: { name: 'Error', message: 'no piece' }, output: '' } : answer,
    );
  }
  run(): Promise<HostAnswer> {
    return new Promise((resolve, reject) => (this.ending = { resolve, reject }));
  }
  answer(): void {
    this.ending?.resolve(answer);
  }
  break(): void {
    this.hasEnded = true;
    this.ending?.reject(new HostFailure('memory', 'The piece reached its memory limit.'));
  }
  stop(): Promise<void> {
    this.hasEnded = true;
    this.ending?.reject(new HostFailure('stopped', 'stopped'));
    return Promise.resolve();
  }
}

/** What every call gets. */
export const answer: HostAnswer = { value: 'done', output: '' };

/** A pool of such hosts, whose clock a test sets. A call is of a project and a package, which is named by its folder. */
export function aPool(options: Partial<HostPoolOptions> = {}) {
  const started: FakeHost[] = [];
  const time = { now: 0 };
  const pool = new HostPool({
    start: () => {
      const host = new FakeHost();
      started.push(host);
      return Promise.resolve(host);
    },
    hosts: 2,
    mostIdleMemoryMb: 100,
    now: () => time.now,
    ...options,
  });
  const call = (projectId: string, folder = 'package', signal?: AbortSignal) =>
    pool.run({
      projectId,
      package: { folder, main: 'index.js' },
      request: {},
      services: {},
      timeoutMs: 1_000,
      ...(signal && { signal }),
    });
  /** The hosts that run a package now. */
  const running = (): FakeHost[] => started.filter((host) => host.package !== '' && !host.hasEnded);
  return { pool, call, running, started, time };
}
