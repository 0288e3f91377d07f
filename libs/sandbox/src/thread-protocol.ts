/**
 * How a sandbox thread and the pool communicate: by messages in batches, and by a few shared words that both can read
 * while guest code runs.
 *
 * P1. A slot belongs to one task from its sending until its answer. The pool gives slots out.
 * P2. The thread starts a task by changing its slot from waiting to started. The pool takes it back by changing the
 *     slot from waiting to withdrawn. Only one of the two succeeds, so a task is never both run and given to another
 *     thread. The slot of a sleeping step is started. The pool continues the step by changing it to waiting, the thread
 *     evicts the step by changing it to withdrawn, and again only one of the two succeeds.
 * P3. While guest code runs, `deadline` is not 0 and `current` names its slot.
 */
import type { SandboxLimits } from './limits';
import type { SandboxOutcome } from './sandbox-failure';
import type { Sleep } from './sleep-clock';
import type { GuestDeadline } from './step-clock';
import type { CpuReading } from './thread-cpu';

export interface ThreadSettings {
  wasm: WebAssembly.Module;
  limits: SandboxLimits;
  words: Int32Array;
  auditEvery: number;
  /** The words of the `SleepLedger` of all threads, and the index of this thread's word. */
  ledger: Int32Array;
  seat: number;
  /** Most bytes that the sleeping steps of all threads may keep. */
  sleepingBytes: number;
}

export interface ThreadTask {
  slot: number;
  tenant: string;
  /** The key of the prepared image, made of the tenant and the script hash. */
  key: string;
  /** Absent when the thread got the script before. */
  script?: string;
  input: string;
  /** JSON text of the global `run`. */
  run: string;
  /** How many sleeps of the step were over in earlier tries, and the CPU time that those tries used. */
  sleepsOver: number;
  usedMs: number;
}

/** Tells the thread to continue a step that kept its interpreter while it slept. */
export interface Awakening {
  slot: number;
  awakes: true;
}

/** The tasks to run, or the slot of a task that is withdrawn. */
export type ToThread = (ThreadTask | Awakening)[] | number;

/** The step fell asleep. It has not ended and still has its slot. */
export interface FellAsleep extends Sleep {
  kind: 'asleep';
  /** The CPU time that all tries of the step have used. */
  usedMs: number;
}

export interface ThreadAnswer {
  slot: number;
  /**
   * `withdrawn`: the step was not run to its end. `unknown-script`: the thread needs the task again, with its script.
   * `evicted`: the step sleeps and has given its interpreter up.
   */
  outcome: SandboxOutcome | FellAsleep | 'withdrawn' | 'unknown-script' | 'evicted';
}

/** The first message of a thread. */
export interface ThreadReady {
  /** The file with the account of the thread's CPU time. Undefined when the system keeps none. */
  cpuAccount: string | undefined;
}

export interface FromThread {
  answers: ThreadAnswer[];
  /** The reason for each isolate that was dropped since the last message. */
  drops: string[];
  audits: number;
}

export const SLOTS = 64;

/** The reason for an isolate that an audit found different from its image. */
export const AUDIT_DIFFERENCE = 'audit found a difference';

const WAITING = 1;
const STARTED = 2;
const WITHDRAWN = 3;
const WORDS = { deadline: 0, current: 1, started: 2, cpuDeadline: 3, wallDeadline: 4, slots: 5 };

/** The shared words of one thread. */
export class ThreadWords {
  constructor(readonly words: Int32Array = new Int32Array(new SharedArrayBuffer(4 * (WORDS.slots + SLOTS)))) {}

  markWaiting(slot: number): void {
    Atomics.store(this.words, WORDS.slots + slot, WAITING);
  }

  /** The thread calls it before it runs a task. True when the task may be run. */
  start(slot: number): boolean {
    return Atomics.compareExchange(this.words, WORDS.slots + slot, WAITING, STARTED) === WAITING;
  }

  /** The pool calls it to stop a task. True when the task was not started and now never will be. */
  withdraw(slot: number): boolean {
    return Atomics.exchange(this.words, WORDS.slots + slot, WITHDRAWN) === WAITING;
  }

  /** The pool calls it to take back a task that was not started. False when the task was started; then it continues. */
  takeBack(slot: number): boolean {
    return Atomics.compareExchange(this.words, WORDS.slots + slot, WAITING, WITHDRAWN) === WAITING;
  }

  /** The pool calls it to continue a sleeping step. False when the step was evicted. */
  awaken(slot: number): boolean {
    return Atomics.compareExchange(this.words, WORDS.slots + slot, STARTED, WAITING) === STARTED;
  }

  /** The thread calls it to evict a sleeping step. False when the pool has continued or withdrawn the step. */
  evict(slot: number): boolean {
    return Atomics.compareExchange(this.words, WORDS.slots + slot, STARTED, WITHDRAWN) === STARTED;
  }

  isWithdrawn(slot: number): boolean {
    return Atomics.load(this.words, WORDS.slots + slot) === WITHDRAWN;
  }

  enterStep(slot: number): void {
    Atomics.store(this.words, WORDS.current, slot + 1);
    Atomics.add(this.words, WORDS.started, 1);
  }

  leaveStep(): void {
    Atomics.store(this.words, WORDS.current, 0);
  }

  /** The slot of the running step, or -1 when no step runs. */
  currentSlot(): number {
    return Atomics.load(this.words, WORDS.current) - 1;
  }

  /** How often a step was entered. The count wraps around 32 bits. */
  stepsEntered(): number {
    return Atomics.load(this.words, WORDS.started);
  }

  /** Sets when guest code must have returned. Moments are on the clock of `monotonicMs`. */
  setDeadline({ earliestMs, cpuMs, wallMs }: GuestDeadline): void {
    Atomics.store(this.words, WORDS.cpuDeadline, Math.ceil(cpuMs) | 0);
    Atomics.store(this.words, WORDS.wallDeadline, Math.ceil(wallMs) | 0);
    Atomics.store(this.words, WORDS.deadline, Math.ceil(earliestMs) | 0 || 1);
  }

  clearDeadline(): void {
    Atomics.store(this.words, WORDS.deadline, 0);
  }

  /**
   * By how many ms guest code has passed its deadline of CPU time or of wall time. It is negative before the deadline
   * and while no guest code runs. `cpuMs` reads the CPU account, and is not called before the deadline can have passed.
   */
  overdueMs(nowMs: number, cpuMs: CpuReading): number {
    const deadline = Atomics.load(this.words, WORDS.deadline);
    if (deadline === 0) return -Infinity;
    const sinceEarliest = since(deadline, nowMs);
    if (sinceEarliest <= 0) return sinceEarliest;
    const overCpu = since(Atomics.load(this.words, WORDS.cpuDeadline), cpuMs());
    const overWall = since(Atomics.load(this.words, WORDS.wallDeadline), nowMs);
    return Math.min(sinceEarliest, Math.max(overCpu, overWall));
  }
}

/** Moments wrap around 32 bits after some weeks. Their differences are still right. */
function since(moment: number, nowMs: number): number {
  return (Math.floor(nowMs) - moment) | 0;
}

/** A clock, in ms, that all threads of the process share and that never jumps. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
