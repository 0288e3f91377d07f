import type { SimulatedWorker } from './simulated-worker';

export const LEASE_MS = 10_000;
const MARGIN_MS = 1_000;

/** The row of the leader lease. */
export class SimulatedLease {
  private holder: SimulatedWorker | null = null;
  private expiresAt = 0;

  /** Renews the lease of its holder, or gives a free lease to the worker that asks. */
  ask(worker: SimulatedWorker, now: number): void {
    if (worker !== this.holder && !this.isFree(now)) return;
    this.giveTo(worker, now);
  }

  /**
   * Gives the lease to the worker. The former holder still believes in its lease for a while, as it does when the
   * database's clock runs fast.
   */
  giveTo(worker: SimulatedWorker, now: number): void {
    this.holder = worker;
    this.expiresAt = now + LEASE_MS;
    worker.leadsUntil = now + LEASE_MS - MARGIN_MS;
  }

  /** The holder of the lease according to its row. */
  get heldBy(): SimulatedWorker | null {
    return this.holder;
  }

  protected isFree(now: number): boolean {
    return now >= this.expiresAt;
  }
}
