import { Backlog, isOver, type BacklogReading, type Clock } from '@millrace/domain';
import type { Pool } from 'pg';

/** How long that which is due longest has been due; 0 when nothing is. */
export interface LagSeconds {
  polls: number;
  schedules: number;
  events: number;
}

// Each of these finds the first entry of an index.
const LAGS = `
  select
    (select extract(epoch from now() - min(due_at)) from trigger_state
     where kind = 'POLLING' and is_enabled and due_at is not null)::float8 as polls,
    (select extract(epoch from now() - min(due_at)) from trigger_state
     where kind = 'SCHEDULE' and is_enabled and due_at is not null)::float8 as schedules,
    (select extract(epoch from now() - min(first.next_attempt)) from event_destination, lateral (
       select next_attempt from event_delivery
       where destination_id = event_destination.id and status = 'PENDING' order by next_attempt limit 1) first
     where event_destination.status = 'ENABLED')::float8 as events`;

interface Lags {
  polls: number | null;
  schedules: number | null;
  events: number | null;
}

/** How long a reading is used again, however often it is asked for. */
const KEPT_MS = 5_000;

/**
 * Reads the state of the installation. Callers within some seconds share a reading, so that it costs the same. The
 * backlog and the lags are read apart: when one statement is slow, the other figures are still there.
 */
export class InstallationReadings {
  private readonly keptBacklog: Kept<BacklogReading | null>;
  private readonly keptLags: Kept<LagSeconds>;

  constructor(
    private readonly pool: Pool,
    backlog: Backlog,
    clock: Clock,
  ) {
    this.keptBacklog = new Kept(() => backlog.read(), clock);
    this.keptLags = new Kept(() => this.readLags(), clock);
  }

  /** Null before the backlog was counted for the first time. */
  backlog(): Promise<BacklogReading | null> {
    return this.keptBacklog.get();
  }

  lags(): Promise<LagSeconds> {
    return this.keptLags.get();
  }

  private async readLags(): Promise<LagSeconds> {
    const { rows } = await this.pool.query<Lags>({ name: 'read-lags', text: LAGS });
    const { polls = null, schedules = null, events = null } = rows[0] ?? {};
    return { polls: lagOf(polls), schedules: lagOf(schedules), events: lagOf(events) };
  }
}

/** A reading that is used again for KEPT_MS. */
class Kept<Value> {
  private reading: Promise<Value> | null = null;
  private readAt = 0;

  constructor(
    private readonly read: () => Promise<Value>,
    private readonly clock: Clock,
  ) {}

  get(): Promise<Value> {
    const now = this.clock.now().getTime();
    if (this.reading === null || isOver(this.readAt, KEPT_MS, now)) {
      this.readAt = now;
      this.reading = this.read();
    }
    return this.reading;
  }
}

/** What is due in the future, or never, is not late. */
const lagOf = (seconds: number | null): number => Math.max(0, seconds ?? 0);
