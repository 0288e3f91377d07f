// The leader lease: one process of the installation performs the periodic duties.
//
// L1. One row names the holder and the end of the lease, by the database's clock. No process takes the lease before its
//     end.
// L2. The holder counts on its own monotonic clock from the moment before it asked, and gives the lease up a second
//     early. A process that was frozen, or cannot reach the database, knows therefore that it has lost the lease before
//     another process takes it.
// L3. Each new holder raises the epoch. Late writes of a former holder do no harm (docs/adr/0025).
// L4. Workers come first. A stand-in takes the lease only some time after its end, and gives it up when a worker asks.

import { Outage, type HeldLease } from '@millrace/domain';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Pool, type QueryConfig } from 'pg';
import { logOutages } from '../log-outages';
import { newId } from '../postgres/new-id';
import { TIME_LIMITS } from '../time-limits';
import { MaintenanceSettings } from './maintenance-settings';

/** How long a lease lasts. A deadline is still kept within 15 s when the leader is lost at the same moment. */
export const LEASE_MS = 10_000;
const MARGIN_MS = 1_000;
/** How long after the end of a lease a stand-in takes it. */
const STAND_IN_AFTER_MS = 2_500;
/** How long a stand-in gives way after a worker has asked for the lease. */
const WANTED_MS = 5_000;

const ASK = `
  update leader_lease
  set epoch = epoch + (holder is distinct from $1)::int, holder = $1, is_stand_in = $2,
    expires_at = now() + $3 * interval '1 millisecond'
  where case when holder = $1 then not is_stand_in or wanted_until < now()
             when $2 then wanted_until < now() and expires_at < now() - interval '${STAND_IN_AFTER_MS} milliseconds'
             else expires_at < now() end
  returning epoch`;

const WANT = `
  update leader_lease set wanted_until = now() + interval '${WANTED_MS} milliseconds' where is_stand_in and expires_at > now()`;

const RESIGN = `update leader_lease set expires_at = now() where holder = $1 and expires_at > now()`;

export interface LeaderLeaseSettings extends Pick<MaintenanceSettings, 'standsIn' | 'leads'> {
  readonly leaseMs?: number;
}

@Injectable()
export class LeaderLease implements HeldLease {
  private readonly logger = new Logger(LeaderLease.name);
  private readonly outage = new Outage(
    {
      begins: 'The leader lease cannot be asked for. It is tried again until it can.',
      ends: 'The leader lease can be asked for again.',
    },
    logOutages(this.logger),
  );
  private readonly id = newId();
  private readonly leaseMs: number;
  private heldUntil = -Infinity;
  private epoch: number | null = null;

  constructor(
    private readonly pool: Pool,
    @Inject(MaintenanceSettings) private readonly settings: LeaderLeaseSettings,
  ) {
    this.leaseMs = settings.leaseMs ?? LEASE_MS;
  }

  isHeld(): boolean {
    return performance.now() < this.heldUntil;
  }

  /**
   * Renews the lease, or takes it when it is free. When the database fails, the lease runs out. The log says
   * when that begins and ends.
   */
  async ask(): Promise<void> {
    if (this.settings.leads === false) return;
    const askedAt = performance.now();
    try {
      const epoch = await this.take();
      this.outage.succeeded();
      if (epoch === null) return await this.giveUp();
      this.heldUntil = askedAt + this.leaseMs - MARGIN_MS;
      if (epoch !== this.epoch) this.logger.log(`This process performs the periodic duties (epoch ${epoch}).`);
      this.epoch = epoch;
    } catch (error) {
      this.outage.failed(error);
    }
  }

  /** Gives the lease up, so that another process can take it at once. */
  async resign(): Promise<void> {
    if (this.epoch === null) return;
    try {
      await this.free();
    } catch (error) {
      this.logger.debug(`The leader lease runs out by itself: ${String(error)}`);
    }
  }

  private async take(): Promise<number | null> {
    const { standsIn } = this.settings;
    const rows = await this.send<{ epoch: number }>('ask-lease', ASK, [this.id, standsIn, this.leaseMs]);
    return rows[0]?.epoch ?? null;
  }

  private async giveUp(): Promise<void> {
    const heldBefore = this.epoch !== null;
    if (this.settings.standsIn && heldBefore) await this.free();
    this.heldUntil = -Infinity;
    this.epoch = null;
    if (!this.settings.standsIn) await this.send('want-lease', WANT, []);
  }

  private async free(): Promise<void> {
    this.heldUntil = -Infinity;
    this.epoch = null;
    await this.send('resign-lease', RESIGN, [this.id]);
  }

  private async send<Row extends object>(name: string, text: string, values: unknown[]): Promise<Row[]> {
    const statement: QueryConfig & { query_timeout: number } = {
      name,
      text,
      values,
      query_timeout: TIME_LIMITS.leaseMs,
    };
    return (await this.pool.query<Row>(statement)).rows;
  }
}
