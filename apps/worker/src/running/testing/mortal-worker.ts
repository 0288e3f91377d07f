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

/** What a worker asks of the world outside it. Each call is a boundary: the worker may die on either side of it. */
export type PortCall = 'load' | 'claim' | 'append' | 'release' | 'finish' | 'pause' | 'effect';

/**
 * `before`: the call is never made. `after`: it is made, and its answer never heard. `asleep`: the worker is cut off
 * before the call and makes it when it wakes, long after another worker took the run.
 */
export type EndOfLife = 'before' | 'after' | 'asleep';

export interface Fate {
  /** Counts from 1. */
  atCall: number;
  end: EndOfLife;
}

/** One life of a worker, as its calls see it. After its end nothing it does has any effect. */
export class WorkerLife {
  readonly calls: PortCall[] = [];
  /** Resolves at the end of this life; never, when it is not to end. */
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

  /** For a worker that was asleep: what it waited to do is done now. */
  wakeUp(): void {
    this.hasEnded = false;
    this.hasWoken = true;
    this.wake();
  }

  /** It woke, made the call it was about to make, and has gone on calling since. */
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

/** A journal whose user may die. */
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

  override claim(claim: RunClaim, startTime: Date, leaseSeconds: number): Promise<number | null> {
    return this.life.call('claim', () => this.journal.claim(claim, startTime, leaseSeconds));
  }

  /** By the clock, not by the run: no boundary of it. */
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

/** Pieces whose user may die. */
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
