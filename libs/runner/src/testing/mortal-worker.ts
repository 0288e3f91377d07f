import {
  RunJournal,
  type JournalSegment,
  type PauseResult,
  type RunClaim,
  type RunEnding,
  type RunHead,
  type RunPause,
  type RunToExecute,
} from '@millrace/domain';
import { PieceRunner, type PieceCall, type PieceOutcome } from '@millrace/engine';

/** A call of a worker to a port. Each call is a boundary: the worker may die before it or after it. */
export type PortCall = 'load' | 'claim' | 'append' | 'release' | 'finish' | 'pause' | 'effect';

/**
 * - `before`: the worker dies before it makes the call.
 * - `after`: the worker makes the call and dies before the answer arrives.
 * - `asleep`: the worker is cut off before the call. It makes the call when it wakes, long after another worker took
 *   the run.
 */
export type EndOfLife = 'before' | 'after' | 'asleep';

export interface Fate {
  /** The number of the call at which the life ends, from 1. */
  atCall: number;
  end: EndOfLife;
}

/** One life of a worker, seen through its calls. After the end of a life, its calls have no effect. */
export class WorkerLife {
  readonly calls: PortCall[] = [];
  /** Resolves at the end of this life. Never resolves for a worker that lives on. */
  readonly ended: Promise<void>;
  private announceEnd: () => void = () => undefined;
  private hasEnded = false;
  private wake: () => void = () => undefined;
  private hasWoken = false;
  private readonly awake = new Promise<void>((resolve) => (this.wake = resolve));

  constructor(private readonly fate: Fate | null) {
    this.ended = new Promise((resolve) => (this.announceEnd = resolve));
  }

  get isOver(): boolean {
    return this.hasEnded;
  }

  /** Wakes a worker that was asleep: the call that it waited to make is made now. */
  wakeUp(): void {
    this.hasEnded = false;
    this.hasWoken = true;
    this.wake();
  }

  /** True when the worker has made more calls since it woke than the one it was about to make. */
  get goesOnAfterSleep(): boolean {
    return this.hasWoken && this.calls.length > (this.fate?.atCall ?? 0);
  }

  async call<Result>(port: PortCall, work: () => Promise<Result>): Promise<Result> {
    const number = this.calls.push(port);
    const end = number === this.fate?.atCall ? this.fate.end : null;
    if (this.hasEnded || end === 'before' || end === 'asleep') await this.endBefore(end);
    const result = await work();
    if (this.hasEnded || end === 'after') return this.endForGood();
    return result;
  }

  private endBefore(end: EndOfLife | null): Promise<void> {
    if (this.fate?.end !== 'asleep') return this.endForGood();
    if (end) this.end();
    return this.awake;
  }

  private endForGood(): Promise<never> {
    this.end();
    return new Promise(() => undefined);
  }

  private end(): void {
    this.hasEnded = true;
    this.announceEnd();
  }
}

/** A journal for a worker that may die. */
export class MortalJournal extends RunJournal {
  constructor(
    private readonly journal: RunJournal,
    private readonly life: WorkerLife,
  ) {
    super();
  }

  override load(runId: string): Promise<RunToExecute | null> {
    return this.life.call('load', () => this.journal.load(runId));
  }

  override loadHead(runId: string): Promise<RunHead | null> {
    return this.life.call('load', () => this.journal.loadHead(runId));
  }

  override claim(claim: RunClaim, startTime: Date | null, leaseSeconds: number): Promise<number | null> {
    return this.life.call('claim', () => this.journal.claim(claim, startTime, leaseSeconds));
  }

  /** A timer calls this at no fixed place in the run, so it is no boundary. */
  override renew(claims: readonly RunClaim[], leaseSeconds: number): Promise<ReadonlySet<string>> {
    return this.journal.renew(claims, leaseSeconds);
  }

  override release(claim: RunClaim): Promise<boolean> {
    return this.life.call('release', () => this.journal.release(claim));
  }

  override disown(claims: readonly RunClaim[]): Promise<void> {
    return this.journal.disown(claims);
  }

  override append(segment: JournalSegment): Promise<boolean> {
    return this.life.call('append', () => this.journal.append(segment));
  }

  override finish(ending: RunEnding): Promise<boolean> {
    return this.life.call('finish', () => this.journal.finish(ending));
  }

  override pause(pause: RunPause): Promise<PauseResult> {
    return this.life.call('pause', () => this.journal.pause(pause));
  }
}

/** Runs pieces for a worker that may die. */
export class MortalPieceRunner extends PieceRunner {
  constructor(
    private readonly runPiece: (call: PieceCall) => Promise<PieceOutcome>,
    private readonly life: WorkerLife,
  ) {
    super();
  }

  override run(call: PieceCall): Promise<PieceOutcome> {
    return this.life.call('effect', () => this.runPiece(call));
  }
}
