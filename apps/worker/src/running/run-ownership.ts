import type { JournalSegment, RunClaim, RunFinish, RunJournal, RunToExecute, StepRecord } from '@millrace/domain';
import { StepSink, type AbortReason } from '@millrace/engine';

// One run in the hands of this worker.
//
// O1. A run is claimed (epoch + 1, lease) before its first effect or after a second, whichever comes first; a pure run
//     that ends sooner needs only the compare-and-set of its ending.
// O2. Writes of one run follow each other; each names the epoch it was claimed under.
// O3. Once another owner is known to have come, nothing more is written and the signal is aborted.
export class RunOwnership extends StepSink {
  private readonly controller = new AbortController();
  private pending: StepRecord[] = [];
  /** A segment whose write failed, perhaps after it was committed: sent again as it was, under its own number. */
  private unsure: JournalSegment | null = null;
  private writing: Promise<void> = Promise.resolve();
  private epoch: number;
  private nextSegment: number;
  private isClaimed = false;

  constructor(
    readonly run: RunToExecute,
    readonly startTime: Date,
    private readonly journal: RunJournal,
    private readonly leaseSeconds: number,
  ) {
    super();
    this.epoch = run.epoch;
    this.nextSegment = run.nextSegment;
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

  get hasPending(): boolean {
    return this.pending.length > 0 || this.unsure !== null;
  }

  abort(reason: AbortReason): void {
    if (!this.signal.aborted) this.controller.abort(reason);
  }

  override record(step: StepRecord): void {
    this.pending.push(step);
  }

  claim(): Promise<void> {
    return this.inTurn(async () => {
      if (this.isClaimed) return;
      const epoch = await this.journal.claim(this.claimHeld, this.startTime, this.leaseSeconds);
      if (epoch === null) return this.abort('claimLost');
      this.epoch = epoch;
      this.isClaimed = true;
    });
  }

  /** Under a claim, which is taken when there is none yet. */
  override async durable(): Promise<void> {
    await this.claim();
    await this.inTurn(() => this.append());
    if (this.signal.reason === 'claimLost') throw new Error(`Run ${this.run.id} is another worker's now.`);
  }

  /** Writes the last segment and the final status together. False when another owner or ending came first. */
  async finish(ending: RunFinish): Promise<boolean> {
    let won = false;
    await this.inTurn(async () => {
      if (this.unsure) await this.append();
      won = await this.journal.finish({ ...this.nextUp(), ...ending });
    });
    return won;
  }

  /** Keeps what is done and lets another worker take the run at once. */
  async release(): Promise<void> {
    if (this.hasPending) await this.durable();
    await this.inTurn(() => (this.isClaimed ? this.journal.release(this.claimHeld) : Promise.resolve()));
  }

  private async append(): Promise<void> {
    while (this.hasPending) {
      this.unsure ??= this.nextUp();
      if (!(await this.journal.append(this.unsure))) return this.abort('claimLost');
      this.unsure = null;
    }
  }

  private nextUp(): JournalSegment {
    const records = this.pending;
    this.pending = [];
    return { ...this.claimHeld, seq: this.nextSegment++, records };
  }

  private inTurn(write: () => Promise<void>): Promise<void> {
    const written = this.writing.then(() => (this.signal.reason === 'claimLost' ? undefined : write()));
    this.writing = written.catch(() => undefined);
    return written;
  }
}
