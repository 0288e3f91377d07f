const LEASE_MS = 10_000;
const MARGIN_MS = 1_000;

/** A process that may hold the lease, and knows until when it may act on it. */
export interface LeaseHolder {
  readonly isAlive: boolean;
  leadsUntil: number;
}

/** The model of the leader lease in its row. */
export class LeaseModel<Holder extends LeaseHolder = LeaseHolder> {
  private holder: Holder | null = null;
  private expiresAt = 0;

  /** Renews the lease of its holder, or gives a free lease to the process that asks. */
  ask(process: Holder, now: number): void {
    if (process !== this.holder && !this.isFree(now)) return;
    this.giveTo(process, now);
  }

  /**
   * Gives the lease to the process. The former holder still believes in its lease for a while, as it does when the
   * database's clock runs fast.
   */
  giveTo(process: Holder, now: number): void {
    this.holder = process;
    this.expiresAt = now + LEASE_MS;
    process.leadsUntil = now + LEASE_MS - MARGIN_MS;
  }

  /** The holder of the lease according to its row. */
  get heldBy(): Holder | null {
    return this.holder;
  }

  protected isFree(now: number): boolean {
    return now >= this.expiresAt;
  }
}
