import { Worker } from 'node:worker_threads';
import type { SandboxOutcome } from './sandbox-failure';
import type { SandboxTask } from './sandbox-task';
import { cpuOfThread } from './thread-cpu';
import {
  monotonicMs,
  SLEEPERS,
  SLOTS,
  ThreadWords,
  type FromThread,
  type ThreadAnswer,
  type ThreadReady,
  type ThreadSettings,
  type ThreadTask,
  type ToThread,
} from './thread-protocol';

/** Most tasks handed over that neither ended nor sleep. More would wait there while another thread is free. */
export const MOST_IN_HAND = 16;
const STACK_SIZE_MB = 16;
const HEAP_SIZE_MB = 256;
/** The thread is asked again for a script it forgot; remembering more keys than this is not worth it. */
const MOST_SCRIPTS_REMEMBERED = 10_000;

/** A task that was accepted and has not ended. */
export interface Job {
  readonly task: SandboxTask;
  /** Called once, whichever way the job ends. */
  readonly settle: (outcome: SandboxOutcome) => void;
  /** Tells the caller that the step fell asleep, or goes on. */
  readonly tellSleep: (asleep: boolean) => void;
  /** Where it is while a thread has it. */
  place?: { thread: SandboxThread; slot: number };
  /** Since when nobody wants its answer. */
  unwantedSince?: number;
  /** Threads that died with it in hand, for no reason known. */
  deaths: number;
}

export interface ThreadOwner {
  answered(message: FromThread, jobs: { job: Job; answer: ThreadAnswer }[]): void;
  died(thread: SandboxThread, error: Error | undefined): void;
}

/** The pool's view of one worker thread: what it has in hand, and how it is doing. */
export class SandboxThread {
  /** It runs one step for long, so nothing more is given to it. */
  isBusy = false;

  private readonly jobs: (Job | undefined)[] = new Array<Job | undefined>(SLOTS).fill(undefined);
  private readonly freeSlots = Array.from({ length: SLOTS }, (_, slot) => slot);
  private readonly scriptsSent = new Set<string>();
  private cpuMs = cpuOfThread(undefined);
  private lastStepsEntered = 0;
  private hasEnded = false;

  private constructor(
    private readonly worker: Worker,
    private readonly words: ThreadWords,
    private readonly owner: ThreadOwner,
  ) {}

  /** Resolves when the thread is ready to take tasks. */
  static spawn(script: string, settings: Omit<ThreadSettings, 'words'>, owner: ThreadOwner): Promise<SandboxThread> {
    const words = new ThreadWords();
    const worker = new Worker(script, {
      name: 'sandbox',
      workerData: { ...settings, words: words.words } satisfies ThreadSettings,
      env: {},
      argv: [],
      execArgv: [],
      resourceLimits: { stackSizeMb: STACK_SIZE_MB, maxOldGenerationSizeMb: HEAP_SIZE_MB },
    });
    const thread = new SandboxThread(worker, words, owner);
    return new Promise((resolve, reject) => {
      worker.once('message', ({ cpuAccount }: ThreadReady) => {
        thread.cpuMs = cpuOfThread(cpuAccount);
        worker.on('message', (message: FromThread) => thread.receive(message));
        resolve(thread);
      });
      worker.on('error', (error) => {
        reject(error);
        thread.die(error);
      });
      worker.on('exit', () => {
        reject(new Error('The sandbox thread ended before it was ready.'));
        thread.die(undefined);
      });
    });
  }

  get isGone(): boolean {
    return this.hasEnded;
  }

  get asleep(): number {
    return this.words.asleep();
  }

  get inHand(): number {
    return SLOTS - this.freeSlots.length;
  }

  /** How many tasks it should be given now. */
  get room(): number {
    const asleep = this.words.asleep();
    if (this.hasEnded || this.isBusy || asleep >= SLEEPERS) return 0;
    return Math.min(MOST_IN_HAND - (this.inHand - asleep), this.freeSlots.length);
  }

  send(jobs: Job[]): void {
    this.post(jobs.map((job) => this.take(job)));
  }

  /** Nobody wants the job's answer any more. */
  withdraw(job: Job): void {
    const slot = job.place?.slot;
    if (slot === undefined) return;
    job.unwantedSince = monotonicMs();
    if (!this.words.withdraw(slot)) this.post(slot);
  }

  /** The jobs it has not started, which are the caller's again. */
  takeBackWaiting(): Job[] {
    return this.jobs.filter((job, slot): job is Job => {
      if (!job || job.unwantedSince !== undefined || !this.words.takeBack(slot)) return false;
      this.jobs[slot] = undefined;
      job.place = undefined;
      return true;
    });
  }

  /** By how much the guest is over its CPU limit. */
  overdueMs(nowMs: number): number {
    return this.words.overdueMs(nowMs, this.cpuMs);
  }

  currentJob(): Job | undefined {
    return this.jobs[this.words.currentSlot()];
  }

  /** Called at intervals: a thread still in the step it was in the last time is busy, and one full of sleepers. */
  notice(): void {
    const entered = this.words.stepsEntered();
    const isInLongStep = this.words.currentSlot() >= 0 && entered === this.lastStepsEntered;
    this.isBusy = isInLongStep || this.words.asleep() >= SLEEPERS;
    this.lastStepsEntered = entered;
  }

  /** Ends the thread, wherever it is. Gives the jobs it had. */
  end(): { jobs: Job[]; ended: Promise<unknown> } {
    this.hasEnded = true;
    const jobs = this.jobs.filter((job) => job !== undefined);
    for (const job of jobs) job.place = undefined;
    return { jobs, ended: this.worker.terminate() };
  }

  private take(job: Job): ThreadTask {
    const slot = this.freeSlots.pop() as number;
    this.jobs[slot] = job;
    job.place = { thread: this, slot };
    this.words.markWaiting(slot);
    const { task } = job;
    const key = keyOf(task);
    const known = this.scriptsSent.has(key);
    if (!known) this.rememberScript(key);
    return {
      slot,
      key,
      script: known ? undefined : task.script,
      input: task.input,
      run: JSON.stringify(task.run ?? {}),
    };
  }

  private rememberScript(key: string): void {
    if (this.scriptsSent.size >= MOST_SCRIPTS_REMEMBERED) this.scriptsSent.clear();
    this.scriptsSent.add(key);
  }

  private receive(message: FromThread): void {
    if (this.hasEnded) return;
    this.isBusy = false;
    const answered = message.answers.flatMap((answer) => {
      const job = this.jobs[answer.slot];
      if (answer.outcome === 'asleep' || answer.outcome === 'awake') return job ? { job, answer } : [];
      this.jobs[answer.slot] = undefined;
      this.freeSlots.push(answer.slot);
      if (!job) return [];
      if (answer.outcome === 'unknown-script') this.scriptsSent.delete(keyOf(job.task));
      return { job, answer };
    });
    this.owner.answered(message, answered);
  }

  private die(error: Error | undefined): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.owner.died(this, error);
  }

  private post(message: ToThread): void {
    this.worker.postMessage(message);
  }
}

/** What a prepared image is kept under. The tenant is part of it: top-level code of a bundle is guest code. */
function keyOf({ scriptHash, tenant }: SandboxTask): string {
  return `${scriptHash} ${tenant}`;
}
