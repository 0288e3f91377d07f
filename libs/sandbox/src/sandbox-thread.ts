import { Worker } from 'node:worker_threads';
import { ghostOf, type Job } from './job';
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

/** Most tasks handed over that neither ended nor sleep. More would wait there while another thread is free. */
const MOST_IN_HAND = 16;
/** The same for a thread whose steps are not short: it took fewer than these between two looks. */
const MOST_IN_HAND_WHEN_SLOW = 2;
const SHORT_STEPS_A_LOOK = 8;
const STACK_SIZE_MB = 16;
const HEAP_SIZE_MB = 256;
/** The thread is asked again for a script it forgot; remembering more keys than this is not worth it. */
const MOST_SCRIPTS_REMEMBERED = 10_000;

export interface ThreadOwner {
  answered(message: FromThread, jobs: { job: Job; answer: ThreadAnswer }[]): void;
  died(thread: SandboxThread, error: Error | undefined): void;
}

/** The pool's view of one worker thread: what it has in hand, and how it is doing. */
export class SandboxThread {
  /** It runs one step for long, so nothing more is given to it. */
  isBusy = false;
  /** Opened because one tenant held the others, and closed again when it has been idle for a while. */
  isExtra = false;
  /** Resolves when nothing of it is left. */
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

  /** Tasks that neither ended nor sleep. */
  get inHand(): number {
    return SLOTS - this.freeSlots.length - this.sleeping.size;
  }

  /** How many tasks it should be given now. */
  get room(): number {
    if (this.hasEnded || this.isBusy) return 0;
    return Math.min(this.mostInHand - this.inHand, this.freeSlots.length);
  }

  /** For how long it has had nothing, not even a sleeping step. */
  unusedMs(nowMs: number): number {
    return this.freeSlots.length === SLOTS ? nowMs - this.usedAt : 0;
  }

  /** For how long it has been in the step that it runs; 0 unless that is long. */
  heldMs(nowMs: number): number {
    return this.isBusy ? nowMs - this.heldSince : 0;
  }

  send(jobs: Job[]): void {
    this.usedAt = monotonicMs();
    this.post(jobs.map((job) => this.awaken(job) ?? this.take(job)));
  }

  /** Nobody wants the job's answer any more. */
  withdraw(job: Job): void {
    const slot = job.place?.slot;
    if (slot === undefined) return;
    job.unwantedSince = monotonicMs();
    this.sleeping.delete(slot);
    if (!this.words.withdraw(slot)) this.post(slot);
  }

  /** The job is the caller's again, wherever it was. Here it ends as one that nobody wants. */
  letGo(job: Job): void {
    const { slot } = job.place as { slot: number };
    const ghost = (this.jobs[slot] = ghostOf(job));
    job.place = undefined;
    this.withdraw(ghost);
  }

  /**
   * The jobs that wait behind a long step, which are the caller's again. So are those that have ended but whose answers
   * the long step holds back.
   */
  takeBack(): Job[] {
    const current = this.words.currentSlot();
    return this.jobs.filter((job, slot): job is Job => {
      if (!job || job.unwantedSince !== undefined || slot === current || this.sleeping.has(slot)) return false;
      if (this.words.takeBack(slot)) {
        this.jobs[slot] = undefined;
        job.place = undefined;
      } else {
        this.letGo(job);
      }
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

  /** Called at intervals: a thread still in the step it was in the last time is busy. */
  notice(nowMs: number): void {
    const entered = this.words.stepsEntered();
    const isInStep = this.words.currentSlot() >= 0;
    this.isBusy = isInStep && entered === this.lastStepsEntered;
    if (!this.isBusy) this.heldSince = nowMs;
    const isSlow = isInStep && entered - this.lastStepsEntered < SHORT_STEPS_A_LOOK;
    this.mostInHand = isSlow ? MOST_IN_HAND_WHEN_SLOW : MOST_IN_HAND;
    this.lastStepsEntered = entered;
  }

  /** Ends the thread, wherever it is. Gives the jobs it had. */
  end(): { jobs: Job[]; ended: Promise<unknown> } {
    this.hasEnded = true;
    const jobs = this.jobs.filter((job) => job !== undefined);
    for (const job of jobs) job.place = undefined;
    return { jobs, ended: this.worker.terminate() };
  }

  /** For a step that slept here and kept its interpreter. */
  private awaken(job: Job): Awakening | undefined {
    if (job.place?.thread !== this) return undefined;
    const { slot } = job.place;
    if (this.words.awaken(slot)) {
      this.sleeping.delete(slot);
      return { slot, awakes: true };
    }
    this.letGo(job); // its eviction is on its way
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

/** What a prepared image is kept under. The tenant is part of it: top-level code of a bundle is guest code. */
function keyOf({ scriptHash, tenant }: SandboxTask): string {
  return `${scriptHash} ${tenant}`;
}

function isAsleep({ outcome }: ThreadAnswer): boolean {
  return typeof outcome !== 'string' && outcome.kind === 'asleep';
}
