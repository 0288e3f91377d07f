/**
 * One QuickJS instance in a WebAssembly memory of its own, running one step at a time.
 *
 * I1. Guest code runs only inside `guest`, which runs the step's clock and tells the watchdog when it must be back.
 * I2. Host functions are made before the base image and no handle of theirs is ever disposed; handles made during a
 *     step are left to the reset. A handle is never used after the reset that follows its step.
 * I3. Before each step the whole memory is reset to an image, so a step sees nothing of the step before it.
 * I4. A host exception, a moved stack pointer and a freed host function spoil the isolate, because a reset cannot undo
 *     them. A large heap spoils it too, to give the memory back. The owner drops a spoiled isolate.
 */
import type {} from './web-assembly';
import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from 'quickjs-emscripten';
import { buildBorder, type Border } from './border';
import { GuestStrings } from './guest-strings';
import type { ImageCache } from './image-cache';
import type { SandboxLimits } from './limits';
import { findBreakAddress, findRandomAddress, GuestMemory, type MemoryImage } from './memory-image';
import { instantiateQuickJs, type QuickJsInstance } from './quickjs-instance';
import { failures, type SandboxFailure, type SandboxOutcome } from './sandbox-failure';
import { StepClock, type GuestDeadline, type ThreadClock } from './step-clock';
import { SCRIPT_FILE, STEP_MAKER } from './sandbox-task';
import { SleepClock } from './sleep-clock';
import type { FellAsleep, ThreadTask } from './thread-protocol';
import { failureOfThrown, isOutOfMemory, printable, readThrown, unreadableThrown } from './thrown-value';

const STACK_LIMIT_BYTES = 512 * 1024;
/** An isolate whose heap grew past this is dropped instead of reset. */
const LARGE_HEAP_BYTES = 64 * 1024 * 1024;
/** The memory that an isolate takes outside its WebAssembly memory. */
const HOST_SIDE_BYTES = 1024 * 1024;
/**
 * How many guest jobs run before the deadline is checked. The check is needed because an interrupt ends only one job.
 */
const JOBS_PER_SLICE = 500;

/**
 * A step that is ready to be called: the memory with its script compiled, and a handle of its function in that memory.
 */
export interface StepImage {
  memory: MemoryImage;
  step: QuickJSHandle;
  logs: string[];
}

/** What an isolate needs from the thread it lives on. */
export interface IsolateHost {
  images: ImageCache;
  clock: ThreadClock;
  guestEnters(deadline: GuestDeadline): void;
  guestLeaves(): void;
  isUnwanted(): boolean;
}

/** Carries an exception of the guest out of the host's calls into the guest. */
class GuestException {
  constructor(readonly error: QuickJSHandle) {}
}

class EndStep {
  constructor(readonly failure: SandboxFailure) {}
}

class UnknownScript {}

type Progress = SandboxOutcome | FellAsleep | 'unknown-script';

export class Isolate {
  /** Why this isolate cannot be used again. It is empty while the isolate can be used. */
  spoiled = '';
  /** The image on which the last step ran. */
  lastImage: MemoryImage;

  private logs: string[] = [];
  private result: QuickJSHandle | undefined;
  private interrupted = false;
  private growthRefused = false;
  /** The failure with which the step has to end, even when its code catches the exception that it was given. */
  private fatal: SandboxFailure | undefined;

  private readonly clock: StepClock;
  private readonly sleeps: SleepClock;
  private readonly memory: WebAssembly.Memory;
  private readonly runtime: QuickJSRuntime;
  private readonly context: QuickJSContext;
  private readonly strings: GuestStrings;
  private readonly stackTop: number;
  private readonly border: Border;
  private readonly guestMemory: GuestMemory;
  private readonly baseImage: MemoryImage;

  private constructor(
    readonly id: number,
    private readonly limits: SandboxLimits,
    private readonly host: IsolateHost,
    private readonly quickJs: QuickJsInstance,
  ) {
    this.clock = new StepClock(host.clock, limits.cpuMs);
    this.sleeps = new SleepClock(host.clock.wallMs);
    this.memory = quickJs.memory;
    this.runtime = quickJs.module.newRuntime({ maxStackSizeBytes: STACK_LIMIT_BYTES });
    this.context = this.runtime.newContext();
    this.strings = new GuestStrings(quickJs.module, this.context, this.memory);
    this.stackTop = quickJs.stackPointer();
    this.watchGrowth();
    this.runtime.setInterruptHandler(() => this.shouldInterrupt());
    this.border = buildBorder(this.runtime, this.context, limits, {
      log: (json) => this.log(json),
      sleep: (sleep, ms) => this.sleep(sleep, ms),
      fault: (reason) => this.spoil(reason),
    });
    this.guestMemory = this.measureMemory();
    this.lastImage = this.baseImage = this.guestMemory.takeImage();
  }

  static async create(
    id: number,
    wasm: WebAssembly.Module,
    limits: SandboxLimits,
    host: IsolateHost,
  ): Promise<Isolate> {
    return new Isolate(id, limits, host, await instantiateQuickJs(wasm, limits.memoryMb));
  }

  /** Runs the step until it ends or sleeps. */
  begin(task: ThreadTask): Progress {
    this.clock.start(task.usedMs);
    this.sleeps.start(task.sleepsOver);
    this.interrupted = false;
    this.growthRefused = false;
    this.fatal = undefined;
    this.result = undefined;
    return this.untilEndOrSleep(() => {
      const image = this.imageOf(task);
      this.lastImage = image.memory;
      this.logs = [...image.logs];
      this.result = this.call(this.border.start, image.step, this.strings.put(task.input), this.strings.put(task.run));
    });
  }

  /** Continues the step after its sleep, until it ends or sleeps again. */
  wake(): Progress {
    return this.untilEndOrSleep(() => this.sleeps.wake());
  }

  /** Drops the step that sleeps in this isolate. */
  abandon(): void {
    this.result = undefined;
    this.judge();
  }

  /** The approximate memory that this isolate uses, in bytes. */
  usedBytes(): number {
    return this.guestMemory.usedBytes() + HOST_SIDE_BYTES;
  }

  /** Resets the isolate and returns whether its whole memory equals the image. Audits call it. */
  isCleanAfterReset(): boolean {
    this.guestMemory.reset(this.lastImage);
    return this.guestMemory.isLike(this.lastImage);
  }

  private measureMemory(): GuestMemory {
    const { memory, stackTop } = this;
    const sample = this.context.getNumber(this.evaluate('Math.random()', 'prelude.js'));
    return new GuestMemory(memory, {
      stackTop,
      stackLimitBytes: STACK_LIMIT_BYTES,
      randomAddress: findRandomAddress(memory, stackTop, sample),
      breakAddress: findBreakAddress(memory, stackTop, (size) => this.strings.touchHeap(size)),
    });
  }

  /** Notes a refused growth. It distinguishes the memory limit from an equal error that the guest made up. */
  private watchGrowth(): void {
    const grow = this.memory.grow.bind(this.memory);
    this.memory.grow = (pages) => {
      try {
        return grow(pages);
      } catch (refusal) {
        this.growthRefused = true;
        throw refusal;
      }
    };
  }

  private untilEndOrSleep(begin: () => void): Progress {
    let progress: Progress;
    try {
      progress = this.guest(() => {
        begin();
        return this.settle();
      });
    } catch (reason) {
      progress = reason instanceof UnknownScript ? 'unknown-script' : this.failed(this.failureOf(reason));
    }
    if (typeof progress === 'string' || progress.kind !== 'asleep') this.judge();
    return progress;
  }

  /** Runs the guest's pending jobs until its promise settles or only the end of a sleep can continue it. */
  private settle(): Progress {
    const { context, runtime } = this;
    const result = this.result as QuickJSHandle;
    for (;;) {
      if (this.fatal) throw new EndStep(this.fatal);
      const state = context.getPromiseState(result);
      if (state.type === 'fulfilled') return this.finished(state.value);
      if (state.type === 'rejected') throw new GuestException(state.error);
      const drained = runtime.executePendingJobs(JOBS_PER_SLICE);
      if (drained.error) throw new GuestException(drained.error);
      if (this.interrupted || this.shouldInterrupt()) throw new EndStep(failures.cpuTime(this.limits));
      if (drained.value > 0 || runtime.hasPendingJob()) continue;
      if (this.sleeps.pending === 0) throw new EndStep(failures.neverSettles());
      const over = this.sleeps.takeOver();
      if (over === undefined) return { kind: 'asleep', ...this.sleeps.fallAsleep(), usedMs: this.clock.usedMs() };
      if (this.wallLeft() <= 0) throw new EndStep(failures.wallTime(this.limits));
      this.call(this.border.wake, context.newNumber(over));
    }
  }

  private finished(value: QuickJSHandle): SandboxOutcome {
    const json = this.call(this.border.finish, value);
    if (this.context.typeof(json) !== 'string') throw new EndStep(failures.outputSize(this.limits));
    const output = this.strings.take(json, this.limits.outputBytes);
    if (output === undefined) throw new EndStep(failures.outputSize(this.limits));
    const memoryWasRefused = this.growthRefused ? ({ memoryWasRefused: true } as const) : undefined;
    return { kind: 'value', output, logs: this.logs, cpuMs: this.clock.usedMs(), ...memoryWasRefused };
  }

  private failed(failure: SandboxFailure): SandboxOutcome {
    return { kind: 'failure', failure, logs: this.logs, cpuMs: this.clock.usedMs() };
  }

  private failureOf(reason: unknown): SandboxFailure {
    if (this.fatal) return this.fatal;
    if (this.interrupted) return failures.cpuTime(this.limits);
    if (reason instanceof EndStep) return reason.failure;
    if (reason instanceof GuestException) return this.describe(reason.error);
    // Neither the guest nor this class threw this: the interpreter trapped, or its JavaScript wrapper threw.
    this.spoil('host exception');
    return this.growthRefused ? failures.memory(this.limits) : failures.crashed();
  }

  private describe(error: QuickJSHandle): SandboxFailure {
    let text: string;
    try {
      text = this.guest(() => this.context.getString(this.call(this.border.describe, error)));
    } catch {
      return this.failureOf(this.growthRefused ? undefined : new EndStep(unreadableThrown));
    }
    const thrown = readThrown(text);
    return isOutOfMemory(thrown, this.growthRefused) ? failures.memory(this.limits) : failureOfThrown(thrown);
  }

  /** The image in which this step's script is compiled. It is made on first use. */
  private imageOf(task: ThreadTask): StepImage {
    const known = this.host.images.find(this.id, task.key);
    if (known) {
      this.guestMemory.reset(known.memory);
      return known;
    }
    if (task.script === undefined) throw new UnknownScript();
    this.guestMemory.reset(this.baseImage);
    this.lastImage = this.baseImage;
    this.logs = [];
    const step = this.compile(task.script);
    const image = { memory: this.guestMemory.takeImage(), step, logs: this.logs };
    this.host.images.keep(this.id, task, image);
    return image;
  }

  private compile(script: string): QuickJSHandle {
    const made = this.evaluate(`(\n${script})`, SCRIPT_FILE);
    const isWhole = this.call(this.border.isWhole, made, this.strings.put(script));
    if (this.context.dump(isWhole) !== true) throw new EndStep(failures.source('The script is not one function.'));
    if (!script.startsWith(STEP_MAKER)) return made;
    const step = this.call(this.border.makeStep, made);
    if (this.context.typeof(step) === 'function') return step;
    throw new EndStep(failures.source('The code exports no function named "code".'));
  }

  private evaluate(source: string, file: string): QuickJSHandle {
    return this.unwrap(this.context.evalCode(source, file, { type: 'global' }));
  }

  private call(callee: QuickJSHandle, ...args: QuickJSHandle[]): QuickJSHandle {
    return this.unwrap(this.context.callFunction(callee, this.context.undefined, args));
  }

  private unwrap(result: ReturnType<QuickJSContext['callFunction']>): QuickJSHandle {
    if (result.error) throw new GuestException(result.error);
    return result.value;
  }

  private guest<T>(work: () => T): T {
    this.host.guestEnters(this.clock.enter());
    try {
      return work();
    } finally {
      this.clock.leave();
      this.host.guestLeaves();
    }
  }

  private shouldInterrupt(): boolean {
    if (!this.clock.isOver() && !this.fatal && !this.host.isUnwanted()) return false;
    return (this.interrupted = true);
  }

  private log(json: string): void {
    if (this.logs.length < this.limits.logLines) this.logs.push(JSON.parse(json, printable) as string);
  }

  private sleep(id: number, ms: number): string | undefined {
    if (this.sleeps.pending >= this.limits.sleeps) return 'too many sleeps at a time';
    const wanted = Math.max(ms || 0, 0);
    if (this.sleeps.sleptMs + wanted > this.limits.sleepMs) {
      this.fatal = failures.sleepTime(this.limits);
      return this.fatal.message;
    }
    // A sleep that the wall time limit cuts short ends 2 ms after the limit, so that the limit has surely passed then.
    this.sleeps.add(id, Math.min(wanted, Math.max(this.wallLeft() + 2, 0)));
    return undefined;
  }

  private wallLeft(): number {
    return (this.limits.wallMs ?? Infinity) - this.sleeps.elapsedMs();
  }

  private judge(): void {
    if (this.quickJs.stackPointer() !== this.stackTop) this.spoil('stack pointer moved');
    else if (this.guestMemory.heapEnd() > LARGE_HEAP_BYTES) this.spoil('large heap');
  }

  private spoil(reason: string): void {
    this.spoiled ||= reason;
  }
}
