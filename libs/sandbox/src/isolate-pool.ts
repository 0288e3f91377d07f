/**
 * The isolates of one thread and the tasks they share. A step that sleeps keeps its isolate while there is room for it,
 * and another isolate runs the next task. Guest code of only one step runs at a time.
 */
import { Garbage } from './garbage';
import { Isolate, type IsolateHost } from './isolate';
import { ImageCache } from './image-cache';
import { SleepLedger, Sleepers, type Sleeper } from './sleepers';
import type { GuestDeadline, ThreadClock } from './step-clock';
import type { CpuReading } from './thread-cpu';
import {
  AUDIT_DIFFERENCE,
  monotonicMs,
  ThreadWords,
  type Awakening,
  type FromThread,
  type ThreadAnswer,
  type ThreadSettings,
  type ThreadTask,
} from './thread-protocol';

/**
 * How many idle isolates are kept when no task waits. Many steps may sleep at once, and an isolate takes ms to make.
 */
const KEPT_IDLE = 3;
/** Answers are gathered for this long and sent in one message. */
const FLUSH_MS = 2;

export class IsolatePool implements IsolateHost {
  readonly images = new ImageCache();
  readonly clock: ThreadClock;
  private readonly words: ThreadWords;
  private readonly clockShift: number;
  private readonly idle: Isolate[] = [];
  private readonly sleepers: Sleepers;
  private readonly garbage = new Garbage();
  private waiting: (ThreadTask | Awakening)[] = [];
  private isolatesMade = 0;
  private isAdding = false;
  private runningSlot = -1;
  private stepsSinceAudit = 0;
  private outgoing: FromThread = { answers: [], drops: [], audits: 0 };
  private flushedAt = 0;

  constructor(
    private readonly settings: ThreadSettings,
    cpuMs: CpuReading,
    private readonly post: (message: FromThread) => void,
  ) {
    this.words = new ThreadWords(settings.words);
    this.sleepers = new Sleepers(new SleepLedger(settings.ledger), settings.seat, settings.sleepingBytes);
    this.clockShift = monotonicMs() - performance.now();
    this.clock = { wallMs: () => performance.now(), cpuMs };
  }

  accept(tasks: (ThreadTask | Awakening)[]): void {
    this.waiting.push(...tasks);
    this.work();
  }

  /** Drops a sleeping step whose answer is no longer wanted. A running step sees its withdrawal in the shared words. */
  withdraw(slot: number): void {
    const sleeper = this.sleepers.take(slot);
    if (!sleeper) return;
    this.giveUp(sleeper, 'withdrawn');
    this.work();
  }

  async addIsolate(): Promise<void> {
    if (this.isAdding) return;
    this.isAdding = true;
    this.idle.push(await Isolate.create(++this.isolatesMade, this.settings.wasm, this.settings.limits, this));
    this.isAdding = false;
    this.work();
  }

  guestEnters({ earliestMs, cpuMs, wallMs }: GuestDeadline): void {
    const { clockShift } = this;
    this.words.setDeadline({ earliestMs: earliestMs + clockShift, cpuMs, wallMs: wallMs + clockShift });
  }

  guestLeaves(): void {
    this.words.clearDeadline();
  }

  /**
   * Whether the running step was withdrawn. Guest code calls it regularly, so it also sends the gathered answers, which
   * a long step must not hold back.
   */
  isUnwanted(): boolean {
    if (this.outgoing.answers.length > 0) this.flushNowAndThen();
    return this.runningSlot >= 0 && this.words.isWithdrawn(this.runningSlot);
  }

  private work(): void {
    for (let next = this.waiting[0]; next; next = this.waiting[0]) {
      if ('awakes' in next) this.awake(next.slot);
      else if (!this.begin(next)) break;
      this.waiting.shift();
      this.flushNowAndThen();
    }
    this.flush();
    if (this.idle.length === 0) void this.addIsolate();
    while (this.waiting.length === 0 && this.idle.length > KEPT_IDLE) this.drop(this.idle.shift() as Isolate);
  }

  /** Begins a task. False when no isolate is free. */
  private begin(task: ThreadTask): boolean {
    const isolate = this.idle.pop();
    if (!isolate) return false;
    if (this.words.start(task.slot)) {
      this.advance(isolate, task, () => isolate.begin(task));
    } else {
      this.idle.push(isolate);
      this.answer({ slot: task.slot, outcome: 'withdrawn' });
    }
    return true;
  }

  private awake(slot: number): void {
    const sleeper = this.sleepers.take(slot);
    if (!sleeper) return;
    const { isolate } = sleeper;
    if (this.words.start(slot)) this.advance(isolate, sleeper, () => isolate.wake());
    else this.giveUp(sleeper, 'withdrawn');
  }

  private advance(
    isolate: Isolate,
    { slot, tenant }: { slot: number; tenant: string },
    run: () => ReturnType<Isolate['begin']>,
  ): void {
    this.words.enterStep(slot);
    this.runningSlot = slot;
    const progress = run();
    this.runningSlot = -1;
    this.words.leaveStep();
    this.answer({ slot, outcome: progress });
    if (typeof progress === 'string' || progress.kind !== 'asleep') return this.release(isolate);
    this.sleepers.add({ isolate, slot, tenant, bytes: isolate.usedBytes() });
    for (const sleeper of this.sleepers.takeExcess(({ slot }) => this.words.evict(slot)))
      this.giveUp(sleeper, 'evicted');
  }

  /** Drops the sleeping step and frees its isolate. */
  private giveUp({ isolate, slot }: Sleeper, outcome: 'withdrawn' | 'evicted'): void {
    isolate.abandon();
    this.answer({ slot, outcome });
    this.release(isolate);
  }

  private release(isolate: Isolate): void {
    if (!isolate.spoiled && ++this.stepsSinceAudit >= this.settings.auditEvery) this.audit(isolate);
    if (isolate.spoiled) {
      this.outgoing.drops.push(isolate.spoiled);
      this.drop(isolate);
    } else {
      this.idle.push(isolate);
    }
  }

  private audit(isolate: Isolate): void {
    this.stepsSinceAudit = 0;
    this.outgoing.audits++;
    if (!isolate.isCleanAfterReset()) isolate.spoiled = AUDIT_DIFFERENCE;
  }

  private drop(isolate: Isolate): void {
    this.images.forget(isolate.id);
    this.garbage.add(isolate.usedBytes());
  }

  private answer(answer: ThreadAnswer): void {
    if (this.outgoing.answers.length === 0) this.flushedAt = performance.now();
    this.outgoing.answers.push(answer);
  }

  private flushNowAndThen(): void {
    if (performance.now() - this.flushedAt > FLUSH_MS) this.flush();
  }

  private flush(): void {
    this.flushedAt = performance.now();
    if (this.outgoing.answers.length === 0) return;
    this.post(this.outgoing);
    this.outgoing = { answers: [], drops: [], audits: 0 };
  }
}
