import { Worker } from 'node:worker_threads';
import { placeholderOf, type Job } from './job';
import type { SandboxTask } from './sandbox-task';
import { cpuOfThread } from './thread-cpu';
import {
  monotonicMs,
  SLOTS,
  ThreadWords,
  type FromThread,
  type Awakening,
  type ThreadAnswer,
  type ThreadReady,
  type ThreadSettings,
  type ThreadTask,
  type ToThread,
} from './thread-protocol';

/**
 * Most tasks that a thread has at a time, without sleeping ones. More would wait there while another thread is free.
 */
const MOST_IN_HAND = 16;
/** The same for a slow thread: one that entered fewer than `SHORT_STEPS_A_LOOK` steps between two calls of `notice`. */
const MOST_IN_HAND_WHEN_SLOW = 2;
const SHORT_STEPS_A_LOOK = 8;
const STACK_SIZE_MB = 16;
const HEAP_SIZE_MB = 256;
/** How many scripts are remembered as sent. A script that is sent a second time does no harm. */
const MOST_SCRIPTS_REMEMBERED = 10_000;

export interface ThreadOwner {
  answered(message: FromThread, jobs: { job: Job; answer: ThreadAnswer }[]): void;
  died(thread: SandboxThread, error: Error | undefined): void;
}

/** One worker thread as the pool sees it: the jobs it has, and how long its current step runs already. */
export class SandboxThread {
  /** The thread is in a long step, so it gets no more tasks. */
  isBusy = false;
  /** The thread was opened because long steps held all others. It is closed when it has been idle for a while. */
  isExtra = false;
  /** Resolves when the thread has ended. */
  readonly gone: Promise<void>;

  private readonly jobs: (Job | undefined)[] = new Array<Job | undefined>(SLOTS).fill(undefined);
  private readonly freeSlots = Array.from({ length: SLOTS }, (_, slot) => slot);
  /** The slots of steps that sleep and have kept their interpreter. */
  private readonly sleeping = new Set<number>();
  private readonly scriptsSent = new Set<string>();
  private cpuMs = cpuOfThread(undefined);
  private lastStepsEntered = 0;
  private heldSince = 0;
  private usedAt = 0;
  private mostInHand = MOST_IN_HAND;
  private hasEnded = false;

  private constructor(
    private readonly worker: Worker,
    private readonly words: ThreadWords,
    private readonly owner: ThreadOwner,
  ) {
    this.gone = new Promise((resolve) => worker.once('exit', () => resolve()));
  }

  /** Resolves when the thread is ready to take tasks, and rejects when it cannot be started. */
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

  /** How many tasks of this thread have neither ended nor fallen asleep. */
  get inHand(): number {
    return SLOTS - this.freeSlots.length - this.sleeping.size;
  }

  /** How many more tasks the thread should get now. */
  get room(): number {
    if (this.hasEnded || this.isBusy) return 0;
    return Math.min(this.mostInHand - this.inHand, this.freeSlots.length);
  }

  /** For how many ms the thread has had no task, not even a sleeping one. It is 0 while the thread has one. */
  unusedMs(nowMs: number): number {
    return this.freeSlots.length === SLOTS ? nowMs - this.usedAt : 0;
  }

  /** For how many ms a busy thread has been in its step. It is 0 for a thread that is not busy. */
  heldMs(nowMs: number): number {
    return this.isBusy ? nowMs - this.heldSince : 0;
  }

  send(jobs: Job[]): void {
    this.usedAt = monotonicMs();
    this.post(jobs.map((job) => this.awaken(job) ?? this.take(job)));
  }

  /** Stops the job, because its answer is no longer wanted. */
  withdraw(job: Job): void {
    const slot = job.place?.slot;
    if (slot === undefined) return;
    job.unwantedSince = monotonicMs();
    this.sleeping.delete(slot);
    if (!this.words.withdraw(slot)) this.post(slot);
  }

  /**
   * Takes the job from this thread, even while it runs or sleeps. A placeholder keeps the slot until the thread
   * answers.
   */
  detach(job: Job): void {
    const { slot } = job.place as { slot: number };
    const placeholder = (this.jobs[slot] = placeholderOf(job));
    job.place = undefined;
    this.withdraw(placeholder);
  }

  /**
   * Takes back and returns the jobs that wait behind a long step. Jobs that have ended but whose answers the long step
   * holds back are among them.
   */
  takeBack(): Job[] {
    const current = this.words.currentSlot();
    return this.jobs.filter((job, slot): job is Job => {
      if (!job || job.unwantedSince !== undefined || slot === current || this.sleeping.has(slot)) return false;
      if (this.words.takeBack(slot)) {
        this.jobs[slot] = undefined;
        job.place = undefined;
      } else {
        this.detach(job);
      }
      return true;
    });
  }

  /** By how many ms the guest is over its CPU limit; negative while it is within it. */
  overdueMs(nowMs: number): number {
    return this.words.overdueMs(nowMs, this.cpuMs);
  }

  currentJob(): Job | undefined {
    return this.jobs[this.words.currentSlot()];
  }

  /** Is called at intervals. A thread that is still in the step of the last call is busy. */
  notice(nowMs: number): void {
    const entered = this.words.stepsEntered();
    const isInStep = this.words.currentSlot() >= 0;
    this.isBusy = isInStep && entered === this.lastStepsEntered;
    if (!this.isBusy) this.heldSince = nowMs;
    const isSlow = isInStep && entered - this.lastStepsEntered < SHORT_STEPS_A_LOOK;
    this.mostInHand = isSlow ? MOST_IN_HAND_WHEN_SLOW : MOST_IN_HAND;
    this.lastStepsEntered = entered;
  }

  /** Ends the thread, even in the middle of a step, and returns the jobs it had. */
  end(): { jobs: Job[]; ended: Promise<unknown> } {
    this.hasEnded = true;
    const jobs = this.jobs.filter((job) => job !== undefined);
    for (const job of jobs) job.place = undefined;
    return { jobs, ended: this.worker.terminate() };
  }

  /** The message that continues a step which slept on this thread. Undefined when its interpreter is not here. */
  private awaken(job: Job): Awakening | undefined {
    if (job.place?.thread !== this) return undefined;
    const { slot } = job.place;
    if (this.words.awaken(slot)) {
      this.sleeping.delete(slot);
      return { slot, awakes: true };
    }
    this.detach(job); // the thread has evicted the step, and its answer is on the way
    return undefined;
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
      tenant: task.tenant,
      key,
      script: known ? undefined : task.script,
      input: task.input,
      run: JSON.stringify(task.run ?? {}),
      sleepsOver: job.sleepsOver,
      usedMs: job.usedMs,
    };
  }

  private rememberScript(key: string): void {
    if (this.scriptsSent.size >= MOST_SCRIPTS_REMEMBERED) this.scriptsSent.clear();
    this.scriptsSent.add(key);
  }

  private receive(message: FromThread): void {
    if (this.hasEnded) return;
    if (this.words.stepsEntered() !== this.lastStepsEntered || this.words.currentSlot() < 0) this.isBusy = false;
    const answered = message.answers.flatMap((answer) => {
      const job = this.jobs[answer.slot];
      if (isAsleep(answer)) {
        if (job && job.unwantedSince === undefined) this.sleeping.add(answer.slot);
      } else {
        this.clear(answer.slot);
        if (job) job.place = undefined;
        if (job && answer.outcome === 'unknown-script') this.scriptsSent.delete(keyOf(job.task));
      }
      return job ? { job, answer } : [];
    });
    this.owner.answered(message, answered);
  }

  private clear(slot: number): void {
    this.jobs[slot] = undefined;
    this.sleeping.delete(slot);
    this.freeSlots.push(slot);
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

/** The key of a prepared image. The tenant is part of it, because top-level code of a bundle has run in the image. */
function keyOf({ scriptHash, tenant }: SandboxTask): string {
  return `${scriptHash} ${tenant}`;
}

function isAsleep({ outcome }: ThreadAnswer): boolean {
  return typeof outcome !== 'string' && outcome.kind === 'asleep';
}
