import type { SimulatedWorker } from './simulated-worker';

export const LEASE_MS = 10_000;
const MARGIN_MS = 1_000;

/** The row of the leader lease. */
export class SimulatedLease {
  private holder: SimulatedWorker | null = null;
  private expiresAt = 0;

  /** Renews the lease of its holder, or gives it to who asks when it is free. */
  ask(worker: SimulatedWorker, now: number): void {
    if (worker !== this.holder && !this.isFree(now)) return;
    this.giveTo(worker, now);
  }

  /** Whoever had it has it for a while too: so it is when the database's clock runs fast. */
  giveTo(worker: SimulatedWorker, now: number): void {
    this.holder = worker;
    this.expiresAt = now + LEASE_MS;
    worker.leadsUntil = now + LEASE_MS - MARGIN_MS;
  }

  /** Who has it at present, as far as the row says. */
  get heldBy(): SimulatedWorker | null {
    return this.holder;
  }

  protected isFree(now: number): boolean {
    return now >= this.expiresAt;
  }
}
