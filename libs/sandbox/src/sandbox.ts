/**
 * Runs guest code on threads, under limits. This class owns the queue in front of the threads, the sleeping steps and
 * the watchdog. `isolate-pool` and `isolate` own what happens on a thread.
 *
 * S1. `run` never rejects and never throws for anything a guest does. How a step ended is a value.
 * S2. Guest code never runs on the caller's thread.
 * S3. A step that cannot be interrupted costs its thread, and a spare thread takes over. Only that step fails. The
 *     other steps of the thread are run again, which is harmless because guest code is pure.
 * S4. An aborted step is answered at once and has stopped running within a second.
 * S5. No tenant waits for another's long steps. Tenants take turns. A tenant that holds no thread gets an extra thread,
 *     or the thread of a step that is ended and begun again later.
 */
import type {} from './web-assembly';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { authorPosition } from './author-position';
import { FairQueue } from './fair-queue';
import { Job } from './job';
import { DEFAULT_LIMITS, SLEEPING_MB, type SandboxLimits } from './limits';
import { choosePreempted } from './preemption';
import { failures, type SandboxFailure, type SandboxFailureKind, type SandboxOutcome } from './sandbox-failure';
import type { SandboxTask } from './sandbox-task';
import type { SandboxThread, ThreadOwner } from './sandbox-thread';
import { AUDIT_DIFFERENCE, monotonicMs, type FromThread, type ThreadAnswer } from './thread-protocol';
import { ThreadPool, type PoolSettings } from './thread-pool';

const WATCH_EVERY_MS = 20;
/** The interrupt handler ends a guest at its limit. A thread whose guest still runs this much later is ended. */
const GRACE_MS = 250;
/**
 * A thread gets at least this many waiting tasks before the next one gets any: a message costs more than a short step.
 */
const LEAST_SHARE = 4;
const MOST_DEATHS = 3;
/** How long a tenant that holds no thread waits before an extra thread is opened, and before a long step is ended. */
const EXTRA_AFTER_MS = 50;
const PREEMPT_AFTER_MS = 150;
const AUDIT_EVERY = 5_000;
const BYTES_PER_MB = 1024 * 1024;

export interface SandboxOptions {
  threads: number;
  limits?: Partial<SandboxLimits>;
  /** Most memory of the sleeping steps of all threads, in MB. A step over it is begun again when its sleep is over. */
  sleepingMb?: number;
  /** The compiled `isolate-thread`. The default is the file beside the running bundle. */
  threadScript?: string;
  /** A thread compares the whole memory of an isolate with its image once in this many steps. */
  auditEvery?: number;
  /** Called once when threads cannot be started any more, with the cause. They are tried again. */
  onThreadMissing?: (cause: unknown) => void;
  /** Called when a thread was ended, or ended by itself, and another takes its place. */
  onThreadLost?: (why: ThreadLoss) => void;
}

/** `limit`: its guest could not be interrupted at a limit. `memory`: it ran out of memory. `crash`: anything else. */
export type ThreadLoss = 'limit' | 'memory' | 'crash';

export interface SandboxStats {
  steps: number;
  /** How many steps wait for a thread (`queued`), are with a thread (`running`), and sleep (`asleep`). */
  queued: number;
  running: number;
  asleep: number;
  /**
   * How many threads are in a long step and take no more tasks, and how many extra threads are open because of them.
   */
  busyThreads: number;
  extraThreads: number;
  /** How many threads were ended because their guest could not be interrupted, and how many died by themselves. */
  kills: number;
  crashes: number;
  /**
   * How many steps were begun again: because others waited for their thread, and because sleepers took too much memory.
   */
  preemptions: number;
  evictions: number;
  /** How many isolates were dropped instead of reset, by reason. */
  drops: Record<string, number>;
  audits: number;
  /** How many audits found memory that the reset had not put back. */
  auditDifferences: number;
  /** How many steps failed, by kind. */
  failures: Partial<Record<SandboxFailureKind, number>>;
}

export class Sandbox implements ThreadOwner {
  private readonly pool: ThreadPool;
  /** All jobs that have not ended. */
  private readonly jobs = new Set<Job>();
  private readonly queue = new FairQueue<Job>();
  private isDispatchDue = false;
  private isClosed = false;
  private watch: NodeJS.Timeout | undefined;
  private readonly counts = {
    steps: 0,
    kills: 0,
    crashes: 0,
    preemptions: 0,
    evictions: 0,
    audits: 0,
    auditDifferences: 0,
    drops: {} as Record<string, number>,
    failures: {} as SandboxStats['failures'],
  };

  private constructor(
    threads: number,
    private readonly settings: PoolSettings,
    readonly threadMissing: (cause: unknown) => void,
    private readonly threadLost: (why: ThreadLoss) => void,
  ) {
    this.pool = new ThreadPool(threads, settings, this);
  }

  /** Resolves when all threads are ready, and rejects when they cannot be started. */
  static async start(options: SandboxOptions): Promise<Sandbox> {
    const settings = {
      threadScript: options.threadScript ?? join(__dirname, 'isolate-thread.cjs'),
      wasm: await WebAssembly.compile(readFileSync(quickJsWasm())),
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      auditEvery: options.auditEvery ?? AUDIT_EVERY,
      sleepingBytes: (options.sleepingMb ?? SLEEPING_MB) * BYTES_PER_MB,
    };
    const { onThreadMissing = () => {}, onThreadLost = () => {} } = options;
    const sandbox = new Sandbox(options.threads, settings, onThreadMissing, onThreadLost);
    await sandbox.pool.start();
    return sandbox;
  }

  /** Runs one step. An abort or `close` ends it with a failure of the kind `aborted`. */
  run(task: SandboxTask, signal?: AbortSignal): Promise<SandboxOutcome> {
    if (signal?.aborted) return Promise.resolve(ended(failures.aborted()));
    if (this.isClosed) return Promise.resolve(ended(failures.closed()));
    return new Promise((resolve) => {
      const abort = () => this.abort(job);
      const job = new Job(task, (outcome) => {
        if (outcome.kind === 'failure') this.countFailure(outcome.failure.kind);
        signal?.removeEventListener('abort', abort);
        this.jobs.delete(job);
        resolve(withAuthorPosition(outcome, task));
      });
      signal?.addEventListener('abort', abort, { once: true });
      this.jobs.add(job);
      this.enqueue(job);
    });
  }

  stats(): SandboxStats {
    const { threads, extras } = this.pool;
    const asleep = [...this.jobs].filter((job) => job.isAsleep).length;
    return {
      ...this.counts,
      drops: { ...this.counts.drops },
      failures: { ...this.counts.failures },
      queued: this.queue.size,
      running: this.jobs.size - this.queue.size - asleep,
      asleep,
      busyThreads: threads.filter((thread) => thread.isBusy).length,
      extraThreads: extras.length,
    };
  }

  /** Ends every step with a failure and every thread. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.watch);
    this.queue.clear();
    for (const job of [...this.jobs]) job.settle(ended(failures.closed()));
    await this.pool.close();
  }

  answered(message: FromThread, answers: { job: Job; answer: ThreadAnswer }[]): void {
    this.counts.audits += message.audits;
    for (const reason of message.drops) {
      this.counts.drops[reason] = (this.counts.drops[reason] ?? 0) + 1;
      if (reason === AUDIT_DIFFERENCE) this.counts.auditDifferences++;
    }
    for (const { job, answer } of answers) if (job.unwantedSince === undefined) this.take(job, answer);
    if (this.queue.size > 0) this.dispatchSoon();
  }

  private countFailure(kind: SandboxFailureKind): void {
    this.counts.failures[kind] = (this.counts.failures[kind] ?? 0) + 1;
  }

  threadJoined(): void {
    this.dispatchSoon();
  }

  died(thread: SandboxThread, error: Error | undefined): void {
    if (this.isClosed || !this.pool.threads.includes(thread)) return;
    this.counts.crashes++;
    const ranOut = error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    this.threadLost(ranOut ? 'memory' : 'crash');
    this.replace(thread, ranOut ? failures.memory(this.settings.limits) : failures.crashed());
  }

  private take(job: Job, { outcome }: ThreadAnswer): void {
    if (outcome === 'unknown-script') {
      this.requeue([job]);
    } else if (outcome === 'evicted') {
      this.counts.evictions++;
    } else if (outcome !== 'withdrawn') {
      if (outcome.kind === 'asleep') return job.fallAsleep(outcome, () => this.enqueue(job));
      this.counts.steps++;
      job.settle(outcome);
    }
  }

  private abort(job: Job): void {
    this.queue.remove(job);
    job.place?.thread.withdraw(job);
    job.settle(ended(failures.aborted()));
  }

  private enqueue(job: Job): void {
    job.waitsSince = performance.now();
    this.queue.push(job);
    this.dispatchSoon();
  }

  /** Puts jobs that had their turn back to the front of the queue. Sleeping jobs continue to sleep instead. */
  private requeue(jobs: Job[]): void {
    this.queue.putBack(jobs.filter((job) => !job.isAsleep));
  }

  /**
   * Dispatches at the end of this turn of the event loop, so that all jobs of the turn go in one message per thread.
   */
  private dispatchSoon(): void {
    if (this.isDispatchDue) return;
    this.isDispatchDue = true;
    setImmediate(() => {
      this.isDispatchDue = false;
      if (!this.isClosed) this.dispatch();
    });
  }

  private dispatch(): void {
    const held = this.heldTenants();
    const open = this.pool.threads
      .filter((thread) => thread.room > 0 && (!thread.isExtra || this.pool.isHeld))
      .sort((a, b) => a.inHand - b.inHand);
    const share = Math.max(LEAST_SHARE, Math.ceil(this.queue.size / Math.max(open.length, 1)));
    for (const thread of open) {
      const jobs = this.nextFor(thread, Math.min(share, thread.room), held);
      if (jobs.length > 0) thread.send(jobs);
    }
    if (this.jobs.size > 0) this.watch ??= setInterval(() => this.look(), WATCH_EVERY_MS);
  }

  /** The next jobs for a thread. Tenants that hold no thread go first, and an extra thread takes only theirs. */
  private nextFor(thread: SandboxThread, most: number, held: ReadonlySet<string>): Job[] {
    const jobs: Job[] = [];
    const holdsNone = (tenant: string) => !held.has(tenant);
    while (jobs.length < most && this.queue.size > 0) {
      let job = held.size > 0 ? this.queue.next(holdsNone) : undefined;
      if (!thread.isExtra) job ??= this.queue.next();
      if (!job) break;
      if (!this.sendHome(job, thread)) jobs.push(job);
    }
    return jobs;
  }

  /**
   * Sends a step that slept to the thread that has its interpreter. Returns false when there is no such thread, when it
   * is `thread` itself, or when it has no room; in the last case the step is begun again on `thread`.
   */
  private sendHome(job: Job, thread: SandboxThread): boolean {
    const home = job.place?.thread;
    if (!home || home === thread) return false;
    if (home.room > 0) home.send([job]);
    else home.detach(job);
    return job.place !== undefined;
  }

  private look(): void {
    const now = monotonicMs();
    for (const thread of [...this.pool.threads]) {
      const job = thread.currentJob();
      const unwantedMs = job?.unwantedSince === undefined ? 0 : now - job.unwantedSince;
      if (Math.max(thread.overdueMs(now), unwantedMs) > GRACE_MS) {
        this.counts.kills++;
        this.threadLost('limit');
        this.replace(thread, failures.cpuTime(this.settings.limits));
        continue;
      }
      thread.notice(now);
      // Jobs that wait behind a long step may run on another thread.
      if (thread.isBusy) this.requeue(thread.takeBack());
    }
    if (this.queue.size > 0) {
      this.dispatch();
      this.makeRoom(now);
    }
    this.pool.closeUnusedExtras(now);
    if (this.queue.size === 0 && this.pool.isIdle) {
      clearInterval(this.watch);
      this.watch = undefined;
    }
  }

  /**
   * Opens an extra thread, or ends a long step, when a tenant waits because others hold all threads with long steps.
   */
  private makeRoom(now: number): void {
    if (!this.pool.isHeld) return;
    const waitedMs = this.longestWaitMs(this.heldTenants());
    if (waitedMs < EXTRA_AFTER_MS) return;
    if (this.pool.mayGrow) return this.pool.openExtra();
    if (waitedMs < PREEMPT_AFTER_MS) return;
    const threads = this.pool.threads.flatMap((thread) => {
      const job = thread.isBusy ? thread.currentJob() : undefined;
      if (!job || job.unwantedSince !== undefined) return [];
      return { job, tenant: job.tenant, heldMs: thread.heldMs(now), preemptions: job.preemptions };
    });
    const preempted = choosePreempted(threads)?.job;
    if (preempted) this.preempt(preempted);
  }

  /** Ends a long step. It is begun again at the next turn of its tenant. */
  private preempt(job: Job): void {
    this.counts.preemptions++;
    job.preemptions++;
    job.place?.thread.detach(job);
    job.waitsSince = performance.now();
    this.queue.pushLast(job);
  }

  private heldTenants(): Set<string> {
    const tenants = new Set<string>();
    for (const thread of this.pool.threads) {
      const tenant = thread.isBusy ? thread.currentJob()?.tenant : undefined;
      if (tenant !== undefined) tenants.add(tenant);
    }
    return tenants;
  }

  /** The longest wait, in ms, of a tenant that holds no thread. */
  private longestWaitMs(held: ReadonlySet<string>): number {
    const now = performance.now();
    let longest = 0;
    for (const { tenant, waitsSince } of this.queue.firsts())
      if (!held.has(tenant)) longest = Math.max(longest, now - waitsSince);
    return longest;
  }

  /** Replaces the thread. Its running step fails, and its other steps are run again on another thread. */
  private replace(thread: SandboxThread, failure: SandboxFailure): void {
    const culprit = thread.currentJob();
    const innocent = this.pool
      .replace(thread)
      .filter((job) => job !== culprit && job.unwantedSince === undefined && !job.isAsleep);
    culprit?.settle(ended(failure));
    if (!culprit) for (const job of innocent) job.deaths++;
    for (const job of innocent) if (job.deaths >= MOST_DEATHS) job.settle(ended(failure));
    this.requeue(innocent.filter((job) => job.deaths < MOST_DEATHS));
    this.dispatchSoon();
  }
}

function quickJsWasm(): string {
  const fromQuickJs = createRequire(require.resolve('quickjs-emscripten'));
  return fromQuickJs.resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
}

function ended(failure: SandboxFailure): SandboxOutcome {
  return { kind: 'failure', failure, logs: [], cpuMs: 0 };
}

function withAuthorPosition(outcome: SandboxOutcome, task: SandboxTask): SandboxOutcome {
  if (outcome.kind === 'value' || !outcome.failure.stack) return outcome;
  return { ...outcome, failure: authorPosition(outcome.failure, task) };
}
