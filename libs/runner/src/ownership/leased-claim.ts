import {
  longestSince,
  momentOf,
  type Clock,
  type Moment,
  type RunClaim,
  type RunJournal,
  type RunToExecute,
} from '@millrace/domain';

/**
 * For how long a worker trusts that it holds a claim which it was granted or has renewed. Longer than the time between
 * two renewals, so that only a worker which stood still or was cut off has to ask. Shorter than the lease, so that an
 * effect still has time to leave this process. The age of the trust is the larger by the two clocks of this process, so
 * that neither a clock that was put back nor a suspended machine makes it look young.
 */
const TRUSTED_MS = 10_000;

export interface LeaseSettings {
  clock: Clock;
  leaseSeconds: number;
}

/** The claim of this worker on one run, and what the worker knows of its lease. */
export class LeasedClaim {
  isGranted = false;
  private epoch: number;
  /** When the last call began by which this worker learned that it holds the claim. The lease ends later. */
  private heldSince: Moment = { wallMs: -Infinity, elapsedMs: -Infinity };

  constructor(
    private readonly run: RunToExecute,
    private readonly journal: Pick<RunJournal, 'claim' | 'renew'>,
    private readonly settings: LeaseSettings,
  ) {
    this.epoch = run.epoch;
  }

  get held(): RunClaim {
    return { runId: this.run.id, epoch: this.epoch, projectId: this.run.projectId };
  }

  get now(): Moment {
    return momentOf(this.settings.clock);
  }

  /** Claims the run. False when the journal refuses. */
  async take(startTime: Date): Promise<boolean> {
    const askedAt = this.now;
    const epoch = await this.journal.claim(this.held, startTime, this.settings.leaseSeconds);
    if (epoch === null) return false;
    this.epoch = epoch;
    this.isGranted = true;
    this.renewed(askedAt);
    return true;
  }

  /** The lease was renewed by a call that began at this moment. */
  renewed(askedAt: Moment): void {
    this.heldSince = askedAt;
  }

  /**
   * Asks the journal whether the claim still holds, when its lease may have lapsed since this worker last heard of it.
   * Another worker may have taken the run then. False when the claim has passed.
   */
  async confirm(): Promise<boolean> {
    while (longestSince(this.heldSince, this.settings.clock) >= TRUSTED_MS) {
      const askedAt = this.now;
      const held = await this.journal.renew([this.held], this.settings.leaseSeconds);
      if (!held.has(this.run.id)) return false;
      this.renewed(askedAt);
    }
    return true;
  }
}
