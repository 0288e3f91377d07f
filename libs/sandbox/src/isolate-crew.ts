/**
 * The isolates of one thread and the tasks they share. A step that sleeps keeps its isolate and another one goes on
 * with the next task; guest code itself runs one step at a time.
 */
import { Isolate, type IsolateHost } from './isolate';
import { ImageShelf } from './image-shelf';
import type { GuestDeadline, ThreadClock } from './step-clock';
import type { CpuReading } from './thread-cpu';
import {
  monotonicMs,
  SLEEPERS,
  ThreadWords,
  type FromThread,
  type ThreadAnswer,
  type ThreadSettings,
  type ThreadTask,
} from './thread-protocol';

const MOST_ISOLATES = SLEEPERS;
/** Isolates kept when nothing waits: sleepers come in waves, and each isolate costs a few ms to make. */
const KEPT_IDLE = 3;
/** Answers wait this long for company. */
const FLUSH_MS = 2;

export class IsolateCrew implements IsolateHost {
  readonly images = new ImageShelf();
  readonly clock: ThreadClock;
  private readonly words: ThreadWords;
  private readonly clockShift: number;
  private readonly idle: Isolate[] = [];
  private readonly asleep = new Map<Isolate, number>();
  private waiting: ThreadTask[] = [];
  private population = 0;
  private hired = 0;
  private isHiring = false;
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
    this.clockShift = monotonicMs() - performance.now();
    this.clock = { wallMs: () => performance.now(), cpuMs };
  }

  accept(tasks: ThreadTask[]): void {
    this.waiting.push(...tasks);
    this.work();
  }

  /** Nobody wants the answer any more. Only a sleeping step needs it said: the others see it in the shared words. */
  withdraw(slot: number): void {
    for (const [isolate, sleeper] of this.asleep) {
      if (sleeper !== slot) continue;
      isolate.abandon();
      this.rise(isolate);
      this.answer({ slot, outcome: 'withdrawn' });
      this.release(isolate);
      this.work();
      return;
    }
  }

  async hire(): Promise<void> {
    if (this.isHiring || this.population >= MOST_ISOLATES) return;
    this.isHiring = true;
    this.population++;
    this.idle.push(await Isolate.create(++this.hired, this.settings.wasm, this.settings.limits, this));
    this.isHiring = false;
    this.work();
  }

  guestEnters({ earliestMs, cpuMs, wallMs }: GuestDeadline): void {
    const { clockShift } = this;
    this.words.setDeadline({ earliestMs: earliestMs + clockShift, cpuMs, wallMs: wallMs + clockShift });
  }

  guestLeaves(): void {
    this.words.clearDeadline();
  }

  isUnwanted(): boolean {
    return this.runningSlot >= 0 && this.words.isWithdrawn(this.runningSlot);
  }

  sleepEnded(isolate: Isolate, sleep: number): void {
    const slot = this.asleep.get(isolate);
    if (slot === undefined) return;
    this.rise(isolate);
    this.answer({ slot, outcome: 'awake' });
    this.flush();
    this.advance(isolate, slot, () => isolate.wake(sleep));
    this.work();
  }

  private work(): void {
    while (this.waiting.length > 0) {
      const isolate = this.idle.pop();
      if (!isolate) break;
      const task = this.waiting.shift() as ThreadTask;
      if (this.words.start(task.slot)) {
        this.advance(isolate, task.slot, () => isolate.begin(task));
      } else {
        this.idle.push(isolate);
        this.answer({ slot: task.slot, outcome: 'withdrawn' });
      }
      if (performance.now() - this.flushedAt > FLUSH_MS) this.flush();
    }
    this.flush();
    if (this.idle.length === 0) void this.hire();
    while (this.waiting.length === 0 && this.idle.length > KEPT_IDLE) this.dismiss(this.idle.shift() as Isolate);
  }

  private advance(isolate: Isolate, slot: number, run: () => ReturnType<Isolate['begin']>): void {
    this.words.enterStep(slot);
    this.runningSlot = slot;
    const progress = run();
    this.runningSlot = -1;
    this.words.leaveStep();
    if (progress === 'asleep') {
      this.asleep.set(isolate, slot);
      this.words.setAsleep(this.asleep.size);
      this.answer({ slot, outcome: 'asleep' });
      return;
    }
    this.answer({ slot, outcome: progress });
    this.release(isolate);
  }

  private rise(isolate: Isolate): void {
    this.asleep.delete(isolate);
    this.words.setAsleep(this.asleep.size);
  }

  private release(isolate: Isolate): void {
    if (!isolate.spoiled && ++this.stepsSinceAudit >= this.settings.auditEvery) this.audit(isolate);
    if (isolate.spoiled) {
      this.outgoing.drops.push(isolate.spoiled);
      this.dismiss(isolate);
    } else {
      this.idle.push(isolate);
    }
  }

  private audit(isolate: Isolate): void {
    this.stepsSinceAudit = 0;
    this.outgoing.audits++;
    if (!isolate.isCleanAfterReset()) isolate.spoiled = 'audit found a difference';
  }

  private dismiss(isolate: Isolate): void {
    this.population--;
    this.images.forget(isolate.id);
  }

  private answer(answer: ThreadAnswer): void {
    if (this.outgoing.answers.length === 0) this.flushedAt = performance.now();
    this.outgoing.answers.push(answer);
  }

  private flush(): void {
    this.flushedAt = performance.now();
    if (this.outgoing.answers.length === 0) return;
    this.post(this.outgoing);
    this.outgoing = { answers: [], drops: [], audits: 0 };
  }
}
