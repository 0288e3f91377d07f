import { isOver, type Clock, type RunClaim, type RunJournal, type RunToExecute } from '@millrace/domain';

/**
 * For how long a worker trusts that it holds a claim which it was granted or has renewed. Longer than the time between
 * two renewals, so that only a worker which stood still or was cut off has to ask. Shorter than the lease, so that an
 * effect still has time to leave this process.
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
  /** When the last call began by which this worker learned that it holds the claim, in ms. The lease ends later. */
  private heldSince = 0;

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

  get now(): number {
    return this.settings.clock.now().getTime();
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

  /** The lease was renewed by a call that began at this moment, in ms. */
  renewed(askedAt: number): void {
    this.heldSince = askedAt;
  }

  /**
   * Asks the journal whether the claim still holds, when its lease may have lapsed since this worker last heard of it.
   * Another worker may have taken the run then. False when the claim has passed.
   */
  async confirm(): Promise<boolean> {
    while (isOver(this.heldSince, TRUSTED_MS, this.now)) {
      const askedAt = this.now;
      const held = await this.journal.renew([this.held], this.settings.leaseSeconds);
      if (!held.has(this.run.id)) return false;
      this.renewed(askedAt);
    }
    return true;
  }
}
