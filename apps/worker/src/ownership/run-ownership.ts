import {
  payloadLength,
  RecordedRun,
  type JournalSegment,
  type PauseResult,
  type RunClaim,
  type RunFinish,
  type RunJournal,
  RunEvents,
  type RunPause,
  type RunResponse,
  type RunToExecute,
  type StepRecord,
} from '@millrace/domain';
import { StepSink, type AbortReason } from '@millrace/engine';

/** What becomes of a run's row when it pauses: all but the records of its last segment. */
export type PauseOfRun = Omit<RunPause, keyof RunClaim | 'seq' | 'records'>;

export interface OwnershipSettings {
  leaseSeconds: number;
  events: RunEvents;
}

// One run in the hands of this worker.
//
// O1. A run is claimed (epoch + 1, lease) before its first effect or after a second, whichever comes first; a pure run
//     that ends sooner needs only the compare-and-set of its ending.
// O2. Writes of one run follow each other; each names the epoch it was claimed under.
// O3. Once another owner is known to have come, nothing more is written and the signal is aborted.
// O4. The run's first response is made durable and announced at once when somebody waits for it, unless the run is left
//     before. Later ones are only recorded.
export class RunOwnership extends StepSink {
  private readonly controller = new AbortController();
  private pending: StepRecord[] = [];
  /** The run's, with all that is recorded. */
  private stepsCount = 0;
  /** A segment whose write failed, perhaps after it was committed: sent again as it was, under its own number. */
  private unsure: JournalSegment | null = null;
  private writing: Promise<void> = Promise.resolve();
  private epoch: number;
  private nextSegment: number;
  private isClaimed = false;
  /** A write found that the run is another's, or has ended: also when the signal says that it was stopped before. */
  private isLost = false;
  private isLeft = false;
  /** By an ending, a pause or a release that held. */
  private isGivenUp = false;
  private recordedLength = 0;
  private untold: RunResponse | null = null;
  private hasResponded = false;

  constructor(
    readonly run: RunToExecute,
    readonly startTime: Date,
    private readonly journal: RunJournal,
    private readonly settings: OwnershipSettings,
  ) {
    super();
    this.epoch = run.epoch;
    this.nextSegment = run.nextSegment;
    if (run.isAwaited) this.hasResponded = new RecordedRun(run.recorded).response !== null;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get claimed(): boolean {
    return this.isClaimed;
  }

  get claimHeld(): RunClaim {
    return { runId: this.run.id, epoch: this.epoch };
  }

  /** The claim that was granted, and that this worker has not given up as far as it knows: it may be another's now. */
  get claimLeftOpen(): RunClaim | null {
    return this.isClaimed && !this.isGivenUp ? this.claimHeld : null;
  }

  /** Of the run's data in memory: its payload, and what its steps took and gave in this walk. */
  get heldBytes(): number {
    return payloadLength(this.run.payload) + this.recordedLength;
  }

  get hasPending(): boolean {
    return this.pending.length > 0 || this.unsure !== null;
  }

  abort(reason: AbortReason): void {
    if (!this.signal.aborted) this.controller.abort(reason);
  }

  override record(step: StepRecord, stepsCount: number): void {
    this.pending.push(step);
    this.stepsCount = stepsCount;
    this.recordedLength += (step.input?.length ?? 0) + (step.output?.length ?? 0);
    const response = step.effects?.response;
    if (!response || !this.run.isAwaited || this.hasResponded) return;
    this.hasResponded = true;
    this.untold = response;
    // A run that ends in this turn says so itself: nothing is written twice.
    setImmediate(() => void this.saveResponse());
  }

  /** The run's answer, while it is recorded and those who wait for it have not been told. */
  get untoldResponse(): RunResponse | null {
    return this.untold;
  }

  claim(): Promise<void> {
    return this.inTurn(async () => {
      if (this.isClaimed) return;
      const epoch = await this.journal.claim(this.claimHeld, this.startTime, this.settings.leaseSeconds);
      if (epoch === null) return this.lose();
      this.epoch = epoch;
      this.isClaimed = true;
    });
  }

  /** Under a claim, which is taken when there is none yet. */
  override async durable(): Promise<void> {
    await this.claim();
    await this.inTurn(() => this.append());
    if (this.isLost || this.signal.reason === 'claimLost')
      throw new Error(`Run ${this.run.id} has ended, or is another worker's now.`);
  }

  /** Writes the last segment and the final status together. False when another owner or ending came first. */
  async finish(ending: RunFinish): Promise<boolean> {
    this.isGivenUp = (await this.leave((last) => this.journal.finish({ ...last, ...ending }))) ?? false;
    return this.isGivenUp;
  }

  /** Writes the last segment and what the run waits for together. */
  async pause(pause: PauseOfRun): Promise<PauseResult> {
    const result = (await this.leave((last) => this.journal.pause({ ...last, ...pause }))) ?? 'claimLost';
    this.isGivenUp = result !== 'claimLost';
    return result;
  }

  /** Keeps what is done and lets another worker take the run at once. */
  async release(): Promise<void> {
    if (this.hasPending) await this.durable();
    await this.inTurn(async () => {
      if (this.isClaimed) this.isGivenUp = await this.journal.release(this.claimHeld);
    });
  }

  /** Null when another owner is known to have come. */
  private async leave<Result>(write: (last: JournalSegment) => Promise<Result>): Promise<Result | null> {
    this.isLeft = true;
    let result: Result | null = null;
    await this.inTurn(async () => {
      // Of a run that was cancelled only the last segment is taken.
      if (this.signal.reason === 'stopped') this.takeBackUnsure();
      if (this.unsure) await this.append();
      result = await write(this.nextUp());
    });
    return result;
  }

  private takeBackUnsure(): void {
    if (!this.unsure) return;
    this.pending = [...this.unsure.records, ...this.pending];
    this.nextSegment = this.unsure.seq;
    this.unsure = null;
  }

  private async saveResponse(): Promise<void> {
    if (this.isLeft || !this.untold) return;
    await this.durable().catch(() => undefined); // tried again, and told of, every second
  }

  /** Whichever write it was that made the response durable. */
  private tellResponse(): void {
    const response = this.untold;
    if (!response || this.isLeft) return;
    this.untold = null;
    void this.settings.events.answered(this.run.id, { status: 'RUNNING', response });
  }

  private async append(): Promise<void> {
    while (this.hasPending) {
      this.unsure ??= this.nextUp();
      if (!(await this.journal.append(this.unsure))) return this.lose();
      this.unsure = null;
    }
    this.tellResponse();
  }

  private lose(): void {
    this.isLost = true;
    this.abort('claimLost');
  }

  private nextUp(): JournalSegment {
    const records = this.pending;
    this.pending = [];
    return { ...this.claimHeld, seq: this.nextSegment++, records, stepsCount: this.stepsCount };
  }

  private inTurn(write: () => Promise<void>): Promise<void> {
    const written = this.writing.then(() => (this.signal.reason === 'claimLost' ? undefined : write()));
    this.writing = written.catch(() => undefined);
    return written;
  }
}
