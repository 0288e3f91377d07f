/**
 * What a sandbox thread and the pool say to each other: messages in batches, and a few shared words that both can
 * read while guest code runs.
 *
 * P1. A slot belongs to one task from its sending until its answer; the pool gives slots out.
 * P2. A task is started by changing its slot from waiting to started, and taken back by changing it from waiting to
 *     withdrawn. One of the two sides wins, so a task is never both run and given to another thread. A sleeping step is
 *     started; it goes on by being waiting again, and is evicted by being withdrawn, again by one of the two sides.
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
  /** What the sleepers of all threads keep: the words of a `SleepLedger`, and which of them is this thread's. */
  ledger: Int32Array;
  seat: number;
  /** Most of it, in bytes. */
  sleepingBytes: number;
}

export interface ThreadTask {
  slot: number;
  tenant: string;
  /** Tenant and script hash: what a prepared image is kept under. */
  key: string;
  /** Absent when the thread was given it before. */
  script?: string;
  input: string;
  /** JSON text of the global `run`. */
  run: string;
  /** How many sleeps of the step were over in earlier tries, and the CPU time that these used. */
  sleepsOver: number;
  usedMs: number;
}

/** A step that kept its interpreter while it slept goes on. */
export interface Awakening {
  slot: number;
  awakes: true;
}

/** What to run, or the slot of a task whose answer nobody wants any more. */
export type ToThread = (ThreadTask | Awakening)[] | number;

/** No end of a step: its slot is still its own. */
export interface FellAsleep extends Sleep {
  kind: 'asleep';
  /** The CPU time that all of its tries have used. */
  usedMs: number;
}

export interface ThreadAnswer {
  slot: number;
  /**
   * `withdrawn`: it was not run to its end. `unknown-script`: send it again with its script. `evicted`: it sleeps, and
   * has given its interpreter up.
   */
  outcome: SandboxOutcome | FellAsleep | 'withdrawn' | 'unknown-script' | 'evicted';
}

/** The first message of a thread. */
export interface ThreadReady {
  /** Where the system keeps the account of the thread's CPU time. */
  cpuAccount: string | undefined;
}

export interface FromThread {
  answers: ThreadAnswer[];
  /** Isolates given up since the last message, by reason. */
  drops: string[];
  audits: number;
}

export const SLOTS = 64;

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

  /** Thread side: true when the task may be run. */
  start(slot: number): boolean {
    return Atomics.compareExchange(this.words, WORDS.slots + slot, WAITING, STARTED) === WAITING;
  }

  /** Pool side: true when the task was not started and now never will be. */
  withdraw(slot: number): boolean {
    return Atomics.exchange(this.words, WORDS.slots + slot, WITHDRAWN) === WAITING;
  }

  /** Pool side: as `withdraw`, but leaves a started task alone. */
  takeBack(slot: number): boolean {
    return Atomics.compareExchange(this.words, WORDS.slots + slot, WAITING, WITHDRAWN) === WAITING;
  }

  /** Pool side: lets a sleeping step go on; false when it was evicted. */
  awaken(slot: number): boolean {
    return Atomics.compareExchange(this.words, WORDS.slots + slot, STARTED, WAITING) === STARTED;
  }

  /** Thread side: false when a sleeping step goes on, or is unwanted. */
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

  /** The slot of the step being run, -1 for none. */
  currentSlot(): number {
    return Atomics.load(this.words, WORDS.current) - 1;
  }

  /** Changes whenever a step is entered. */
  stepsEntered(): number {
    return Atomics.load(this.words, WORDS.started);
  }

  /** When guest code must have come back; moments are on the clock of `monotonicMs`. */
  setDeadline({ earliestMs, cpuMs, wallMs }: GuestDeadline): void {
    Atomics.store(this.words, WORDS.cpuDeadline, Math.ceil(cpuMs) | 0);
    Atomics.store(this.words, WORDS.wallDeadline, Math.ceil(wallMs) | 0);
    Atomics.store(this.words, WORDS.deadline, Math.ceil(earliestMs) | 0 || 1);
  }

  clearDeadline(): void {
    Atomics.store(this.words, WORDS.deadline, 0);
  }

  /**
   * By how much guest code has passed its deadline: of CPU, which `cpuMs` reads, or of wall time. Negative before it
   * and while no guest code runs. The account is not read before the deadline can have passed.
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

/** Moments wrap around 32 bits after some weeks; differences of them are still right. */
function since(moment: number, nowMs: number): number {
  return (Math.floor(nowMs) - moment) | 0;
}

/** A clock that all threads of the process share and that never jumps. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
