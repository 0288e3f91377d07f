import { inPages, TOO_MANY_PENDING, type Clock, type Duty, type HeldLease, type SharedClock } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import type { Pool } from 'pg';
import {
  deleteOldDeliveries,
  deleteSurplusDeliveries,
  disableFloodedDestinations,
  EVENTS_DELETED_AT_ONCE,
} from '../event-destinations/event-retention';

/**
 * Bounds the deliveries of each destination: those on their way, by disabling it, and the log, by age and number. A late
 * write is harmless, because each statement decides about the rows as they are.
 */
export class EventRetention implements Duty {
  readonly name = 'Event retention';
  readonly isRoutine = true;
  readonly everyMs = 60_000;
  private readonly logger = new Logger('EventDestinations');

  constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
    private readonly shared: SharedClock,
  ) {}

  async perform(lease: HeldLease): Promise<string | void> {
    const now = await this.shared.now();
    for (const id of await disableFloodedDestinations(this.pool, now))
      this.logger.warn(`The event destination ${id} is disabled: ${TOO_MANY_PENDING}`);
    const pages = { pageSize: EVENTS_DELETED_AT_ONCE, budgetMs: 30_000, clock: this.clock, lease };
    const surplus = await inPages(pages, () => deleteSurplusDeliveries(this.pool));
    const old = await inPages(pages, () => deleteOldDeliveries(this.pool, now));
    if (surplus + old > 0)
      return `${surplus} event deliveries that are more than a log holds, and ${old} old ones, were deleted.`;
  }
}
