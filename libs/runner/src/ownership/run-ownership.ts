import {
  abortWith,
  ConnectionSharing,
  connectionsReferredBy,
  payloadLength,
  RecordedRun,
  type JournalSegment,
  type Moment,
  type PauseResult,
  type RunClaim,
  type RunFinish,
  type RunJournal,
  RunEvents,
  type RunMeters,
  type FlowRunStatus,
  type RunPause,
  type RunResponse,
  type RunToExecute,
  type StepPath,
  type StepRecord,
} from '@millrace/domain';
import { StepSink, type AbortReason } from '@millrace/engine';
import { LeasedClaim, type LeaseSettings } from './leased-claim';

/** What a pause writes to the row of the run, without the run's last segment. */
export type PauseOfRun = Omit<RunPause, keyof RunClaim | 'seq' | 'records'>;

export interface OwnershipSettings extends LeaseSettings {
  events: RunEvents;
  sharing?: ConnectionSharing | undefined;
  meters?: RunMeters | undefined;
}

// One run that this worker executes.
//
// O1. The worker claims the run (epoch + 1, lease) before its first effect or after one second, whichever comes first.
//     A pure run that ends sooner needs no claim: the compare-and-set of its ending is enough.
// O2. The writes of one run follow one another. Each names the epoch under which the run was claimed.
// O3. Once the worker knows that another worker owns the run, it writes nothing more, and the signal is aborted.
// O4. When somebody waits for the run's response, the first response is made durable and published at once, unless the
//     walk is about to end. Later responses are only recorded.
// O5. The connections to which a response refers are shared with the gateway before the response is on record. A run
//     that answers its parent sends nothing by the gateway.
// O6. No effect begins under a claim that may have lapsed. A worker that stood still after its claim was granted first
//     asks whether it still holds it: another worker may have taken the run, and had the effect.
export class RunOwnership extends StepSink {
  private readonly controller = abortWith([]);
  private pending: StepRecord[] = [];
  /** The number of steps of the run, with everything that is recorded. */
  private stepsCount = 0;
  /**
   * A segment whose write failed, perhaps after it was committed. It is sent again unchanged, under the same number.
   */
  private unsure: JournalSegment | null = null;
  private writing: Promise<void> = Promise.resolve();
  private readonly claimOnRun: LeasedClaim;
  private nextSegment: number;
  /** A write found that the run belongs to another worker, or has ended. The signal may already say `stopped` then. */
  private isLost = false;
  private isLeft = false;
  /** An ending, a pause or a release was written, so this worker no longer holds its claim. */
  private isGivenUp = false;
  private recordedLength = 0;
  /** The step that has begun and is not recorded yet. */
  private stepUnderWay: StepPath | null = null;
  private untold: RunResponse | null = null;
  private hasResponded = false;
  /** The connections that have to be shared before the next write. */
  private unshared: readonly string[] | null = null;

  constructor(
    readonly run: RunToExecute,
    readonly startTime: Date,
    private readonly journal: RunJournal,
    private readonly settings: OwnershipSettings,
  ) {
    super();
    this.claimOnRun = new LeasedClaim(run, journal, settings);
    this.nextSegment = run.nextSegment;
    if (run.isAwaited) this.hasResponded = new RecordedRun(run.recorded).response !== null;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get claimed(): boolean {
    return this.claimOnRun.isGranted;
  }

  get claimHeld(): RunClaim {
    return this.claimOnRun.held;
  }

  /**
   * The claim that was granted and that this worker has not given up; null when there is none. Another worker may own
   * the run by now.
   */
  get claimLeftOpen(): RunClaim | null {
    return this.claimed && !this.isGivenUp ? this.claimHeld : null;
  }

  /** Bytes of the run's data in memory: its payload, and the inputs and outputs of the steps of this walk. */
  get heldBytes(): number {
    return payloadLength(this.run.payload) + this.recordedLength;
  }

  get hasPending(): boolean {
    return this.pending.length > 0 || this.unsure !== null;
  }

  abort(reason: AbortReason): void {
    if (!this.signal.aborted) this.controller.abort(reason);
  }

  override began(path: StepPath): void {
    this.stepUnderWay = path;
    const { live } = this.settings.events;
    if (live.isWatched) live.stepChanged(this.run.id, { path, status: 'RUNNING', duration: 0 });
  }

  /** Shows a client that begins to watch which step is under way. */
  showStepUnderWay(): void {
    const { live } = this.settings.events;
    if (this.stepUnderWay !== null)
      live.stepChanged(this.run.id, { path: this.stepUnderWay, status: 'RUNNING', duration: 0 });
  }

  override record(step: StepRecord, stepsCount: number): void {
    const { live } = this.settings.events;
    this.stepUnderWay = null;
    this.settings.meters?.steps[step.type].add(step.status);
    if (live.isWatched) live.stepChanged(this.run.id, step);
    this.pending.push(step);
    this.stepsCount = stepsCount;
    this.recordedLength += (step.input?.length ?? 0) + (step.output?.length ?? 0);
    const response = step.effects?.response;
    if (!response) return;
    if (response.references && this.run.parentRunId === null)
      this.unshared = [...(this.unshared ?? []), ...connectionsReferredBy(response.references)];
    if (!this.run.isAwaited || this.hasResponded) return;
    this.hasResponded = true;
    this.untold = response;
    // A run that ends in the same turn publishes its response with its ending, so the response is not written twice.
    setImmediate(() => void this.saveResponse());
  }

  /** The run's response while it is recorded but not yet published; null otherwise. */
  get untoldResponse(): RunResponse | null {
    return this.untold;
  }

  claim(): Promise<void> {
    return this.inTurn(async () => {
      if (this.claimed) return;
      if (!(await this.claimOnRun.take(this.startTime))) return this.lose();
      this.show();
    });
  }

  /** A call that began at this moment has renewed the lease. */
  renewed(askedAt: Moment): void {
    this.claimOnRun.renewed(askedAt);
  }

  /**
   * Writes all pending records, and claims the run first when it has no claim yet. Throws when the run has ended or
   * belongs to another worker. When it resolves, this worker holds the claim, and an effect may begin at once.
   */
  override async durable(): Promise<void> {
    await this.claim();
    await this.inTurn(async () => {
      await this.append();
      if (!this.isLost && !(await this.claimOnRun.confirm())) this.lose();
    });
    if (this.isLost || this.signal.reason === 'claimLost')
      throw new Error(`Run ${this.run.id} has ended, or is another worker's now.`);
  }

  /**
   * Writes the last segment and the final status in one write. Returns false when another owner or another ending came
   * first.
   */
  async finish(ending: RunFinish): Promise<boolean> {
    this.isGivenUp = (await this.leave((last) => this.journal.finish({ ...last, ...ending }))) ?? false;
    return this.isGivenUp;
  }

  /** Writes the last segment and the run's waits in one write. */
  async pause(pause: PauseOfRun): Promise<PauseResult> {
    const result = (await this.leave((last) => this.journal.pause({ ...last, ...pause }))) ?? 'claimLost';
    this.isGivenUp = result !== 'claimLost';
    if (result === 'paused') this.show('PAUSED');
    return result;
  }

  /** Writes the pending records, and releases the claim so that another worker can take the run at once. */
  async release(): Promise<void> {
    if (this.hasPending) await this.durable();
    await this.inTurn(async () => {
      if (this.claimed) this.isGivenUp = await this.journal.release(this.claimHeld);
    });
  }

  /** Performs the last write of this walk. Returns null when this worker knows that another worker owns the run. */
  private async leave<Result>(write: (last: JournalSegment) => Promise<Result>): Promise<Result | null> {
    this.isLeft = true;
    let result: Result | null = null;
    await this.inTurn(async () => {
      // The journal takes only the last segment of a cancelled run, so an unsure segment becomes part of it.
      if (this.signal.reason === 'stopped') this.takeBackUnsure();
      if (this.unsure) await this.append();
      while (this.unshared) await this.share(this.unshared);
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
    await this.durable().catch(() => undefined); // `OwnedRuns` tries again every second, and logs the failure
  }

  /** Publishes the response after any write that made it durable. */
  private tellResponse(): void {
    const response = this.untold;
    if (!response || this.isLeft) return;
    this.untold = null;
    void this.settings.events.answered(this.run.id, { status: 'RUNNING', response });
  }

  private async append(): Promise<void> {
    while (this.hasPending) {
      while (this.unshared) await this.share(this.unshared);
      this.unsure ??= this.nextUp();
      const askedAt = this.claimOnRun.now;
      if (!(await this.journal.append(this.unsure))) return this.lose();
      this.renewed(askedAt);
      this.unsure = null;
      this.show();
    }
    this.tellResponse();
  }

  private async share(externalIds: readonly string[]): Promise<void> {
    await this.settings.sharing?.share(this.run.projectId, externalIds);
    if (this.unshared === externalIds) this.unshared = null;
  }

  /** Publishes to the clients that watch the run what a write has changed. */
  private show(status?: FlowRunStatus): void {
    const { live } = this.settings.events;
    const { id, projectId } = this.run;
    if (live.isWatched) live.runChanged({ id, projectId, ...(status && { status }) });
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
