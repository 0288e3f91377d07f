/**
 * Runs guest code on threads, under limits. Owns the threads, the queue in front of them and the watchdog; what
 * happens on a thread is `isolate-crew` and `isolate`.
 *
 * S1. `run` never rejects and never throws for anything a guest does; how a step ended is a value.
 * S2. Nothing of a guest runs on the caller's thread.
 * S3. A step that cannot be interrupted costs its thread; a spare takes over. Only that step fails: everything else
 *     the thread had is run again. Guest code is pure, so running it twice is as good as once.
 * S4. An aborted step is answered at once, and has stopped running within a second.
 */
import type {} from './web-assembly';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { authorPosition } from './author-position';
import { DEFAULT_LIMITS, type SandboxLimits } from './limits';
import { failures, type SandboxFailure, type SandboxOutcome } from './sandbox-failure';
import type { SandboxTask } from './sandbox-task';
import { SandboxThread, type Job, type ThreadOwner } from './sandbox-thread';
import { monotonicMs, type FromThread, type ThreadAnswer, type ThreadSettings } from './thread-protocol';

const WATCH_EVERY_MS = 20;
/** The interrupt handler should have ended the guest at its limit; this much later the thread is ended. */
const GRACE_MS = 250;
/** A thread gets at least this many of the waiting tasks before the next one gets any: a message costs more than a short step. */
const LEAST_SHARE = 4;
const MOST_DEATHS = 3;
const RESPAWN_AFTER_MS = 500;
const AUDIT_EVERY = 5_000;

export interface SandboxOptions {
  threads: number;
  limits?: Partial<SandboxLimits>;
  /** The compiled `isolate-thread`; by default the file beside the running bundle. */
  threadScript?: string;
  /** After how many steps a thread compares an isolate's whole memory with its image. */
  auditEvery?: number;
}

export interface SandboxStats {
  steps: number;
  /** Steps not yet given to a thread, given to one, and of these asleep. */
  queued: number;
  running: number;
  asleep: number;
  /** Threads that take nothing more now: in a long step, or full of sleepers. */
  busyThreads: number;
  /** Threads ended because their guest could not be interrupted, and threads that died by themselves. */
  kills: number;
  crashes: number;
  /** Isolates given up instead of reset, by reason. */
  drops: Record<string, number>;
  audits: number;
}

export class Sandbox implements ThreadOwner {
  private threads: SandboxThread[] = [];
  private spare: Promise<SandboxThread> | undefined;
  private queue: Job[] = [];
  private unsettled = 0;
  private isDispatchDue = false;
  private isClosed = false;
  private watch: NodeJS.Timeout | undefined;
  private readonly ending = new Set<Promise<unknown>>();
  private readonly counts = { steps: 0, kills: 0, crashes: 0, audits: 0, drops: {} as Record<string, number> };

  private constructor(
    private readonly threadScript: string,
    private readonly settings: Omit<ThreadSettings, 'words'>,
  ) {}

  /** Resolves when all threads are ready; rejects when they cannot be started. */
  static async start(options: SandboxOptions): Promise<Sandbox> {
    const sandbox = new Sandbox(options.threadScript ?? join(__dirname, 'isolate-thread.cjs'), {
      wasm: await WebAssembly.compile(readFileSync(quickJsWasm())),
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      auditEvery: options.auditEvery ?? AUDIT_EVERY,
    });
    sandbox.threads = await Promise.all(Array.from({ length: options.threads }, () => sandbox.spawn()));
    sandbox.spare = sandbox.spawn();
    await sandbox.spare;
    return sandbox;
  }

  run(task: SandboxTask, signal?: AbortSignal): Promise<SandboxOutcome> {
    if (signal?.aborted) return Promise.resolve(ended(failures.aborted()));
    if (this.isClosed) return Promise.resolve(ended(failures.closed()));
    return new Promise((resolve) => {
      const abort = () => this.abort(job);
      const settle = (outcome: SandboxOutcome) => {
        signal?.removeEventListener('abort', abort);
        job.tellSleep(false);
        this.unsettled--;
        resolve(withAuthorPosition(outcome, task));
      };
      const job: Job = { task, settle: once(settle), tellSleep: sleepTeller(task), deaths: 0 };
      signal?.addEventListener('abort', abort, { once: true });
      this.unsettled++;
      this.queue.push(job);
      this.dispatchSoon();
    });
  }

  stats(): SandboxStats {
    return {
      ...this.counts,
      drops: { ...this.counts.drops },
      queued: this.queue.length,
      running: this.unsettled - this.queue.length,
      asleep: this.threads.reduce((sum, thread) => sum + thread.asleep, 0),
      busyThreads: this.threads.filter((thread) => thread.isBusy).length,
    };
  }

  /** Ends every step with a failure and every thread. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.watch);
    const jobs = this.queue.splice(0);
    const spare = await this.spare?.catch(() => undefined);
    for (const thread of spare ? [...this.threads, spare] : this.threads) jobs.push(...this.endThread(thread));
    for (const job of jobs) job.settle(ended(failures.closed()));
    await Promise.all(this.ending);
  }

  answered(message: FromThread, answers: { job: Job; answer: ThreadAnswer }[]): void {
    this.counts.audits += message.audits;
    for (const reason of message.drops) this.counts.drops[reason] = (this.counts.drops[reason] ?? 0) + 1;
    for (const { job, answer } of answers) {
      if (answer.outcome === 'unknown-script') {
        job.place = undefined;
        if (job.unwantedSince === undefined) this.queue.unshift(job);
      } else if (answer.outcome === 'asleep' || answer.outcome === 'awake') {
        job.tellSleep(answer.outcome === 'asleep');
      } else if (answer.outcome !== 'withdrawn') {
        this.counts.steps++;
        job.settle(answer.outcome);
      }
    }
    if (this.queue.length > 0) this.dispatchSoon();
  }

  died(thread: SandboxThread, error: Error | undefined): void {
    if (this.isClosed || !this.threads.includes(thread)) return;
    this.counts.crashes++;
    const ranOut = (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
    this.replace(thread, ranOut ? failures.memory(this.settings.limits) : failures.crashed());
  }

  private abort(job: Job): void {
    if (job.place) job.place.thread.withdraw(job);
    else this.queue = this.queue.filter((queued) => queued !== job);
    job.settle(ended(failures.aborted()));
  }

  /** What is handed in during one turn of the event loop goes over in one message. */
  private dispatchSoon(): void {
    if (this.isDispatchDue) return;
    this.isDispatchDue = true;
    setImmediate(() => {
      this.isDispatchDue = false;
      this.dispatch();
    });
  }

  private dispatch(): void {
    const open = this.threads.filter((thread) => thread.room > 0).sort((a, b) => a.inHand - b.inHand);
    const share = Math.max(LEAST_SHARE, Math.ceil(this.queue.length / Math.max(open.length, 1)));
    for (const thread of open) {
      if (this.queue.length === 0) break;
      thread.send(this.queue.splice(0, Math.min(share, thread.room)));
    }
    if (this.unsettled > 0) this.watch ??= setInterval(() => this.look(), WATCH_EVERY_MS);
  }

  private look(): void {
    const now = monotonicMs();
    for (const thread of [...this.threads]) {
      const job = thread.currentJob();
      const unwantedMs = job?.unwantedSince === undefined ? 0 : now - job.unwantedSince;
      if (Math.max(thread.overdueMs(now), unwantedMs) > GRACE_MS) {
        this.counts.kills++;
        this.replace(thread, failures.cpuTime(this.settings.limits));
        continue;
      }
      thread.notice();
      // What waits behind a long step may run elsewhere.
      if (thread.isBusy) this.queue.unshift(...thread.takeBackWaiting());
    }
    if (this.queue.length > 0) this.dispatch();
    const isIdle = this.unsettled === 0 && this.threads.every((thread) => thread.inHand === 0);
    if (isIdle) {
      clearInterval(this.watch);
      this.watch = undefined;
    }
  }

  /** The running step fails; everything else the thread had is run again on another one. */
  private replace(thread: SandboxThread, failure: SandboxFailure): void {
    const culprit = thread.currentJob();
    this.threads = this.threads.filter((other) => other !== thread);
    const innocent = this.endThread(thread).filter((job) => job !== culprit && job.unwantedSince === undefined);
    culprit?.settle(ended(failure));
    if (!culprit) for (const job of innocent) job.deaths++;
    for (const job of innocent) if (job.deaths >= MOST_DEATHS) job.settle(ended(failure));
    this.queue.unshift(...innocent.filter((job) => job.deaths < MOST_DEATHS));
    void this.promoteSpare();
  }

  /** A thread that cannot be started now may be later, when memory is back; the tasks wait meanwhile. */
  private async promoteSpare(): Promise<void> {
    const spare = this.spare;
    this.spare = undefined;
    let thread = await spare?.catch(() => undefined);
    while (!this.isClosed && (!thread || thread.isGone)) {
      thread = await this.spawn().catch(() => undefined);
      if (!thread) await new Promise((resolve) => setTimeout(resolve, RESPAWN_AFTER_MS));
    }
    if (!thread) return;
    if (this.isClosed) {
      this.endThread(thread);
      return;
    }
    this.threads.push(thread);
    this.spare ??= this.spawn();
    this.spare.catch(() => (this.spare = undefined));
    this.dispatchSoon();
  }

  private spawn(): Promise<SandboxThread> {
    return SandboxThread.spawn(this.threadScript, this.settings, this);
  }

  private endThread(thread: SandboxThread): Job[] {
    const { jobs, ended: end } = thread.end();
    this.ending.add(end);
    void end.finally(() => this.ending.delete(end));
    return jobs;
  }
}

function quickJsWasm(): string {
  const fromQuickJs = createRequire(require.resolve('quickjs-emscripten'));
  return fromQuickJs.resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
}

function ended(failure: SandboxFailure): SandboxOutcome {
  return { kind: 'failure', failure, logs: [], cpuMs: 0 };
}

function once(settle: (outcome: SandboxOutcome) => void): (outcome: SandboxOutcome) => void {
  let isSettled = false;
  return (outcome) => {
    if (isSettled) return;
    isSettled = true;
    settle(outcome);
  };
}

/** Tells the task each change once. */
function sleepTeller({ onSleep }: SandboxTask): (asleep: boolean) => void {
  let wasAsleep = false;
  return (asleep) => {
    if (asleep === wasAsleep) return;
    wasAsleep = asleep;
    onSleep?.(asleep);
  };
}

function withAuthorPosition(outcome: SandboxOutcome, task: SandboxTask): SandboxOutcome {
  if (outcome.kind === 'value' || !outcome.failure.stack) return outcome;
  return { ...outcome, failure: authorPosition(outcome.failure, task.sourceMap) };
}
