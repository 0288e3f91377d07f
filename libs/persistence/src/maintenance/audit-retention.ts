import { agoBy, type SharedClock, type Duty } from '@millrace/domain';
import type { Pool } from 'pg';
import { deleteOldAuditEvents } from '../audit/audit-event.statements';
import { inTransaction } from '../postgres/in-transaction';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Deletes the events of the audit log that are older than the setting keeps them; 0 days keep them forever. */
export class AuditRetention implements Duty {
  readonly name = 'Audit retention';
  readonly isRoutine = true;
  readonly everyMs = 3_600_000;

  constructor(
    private readonly pool: Pool,
    private readonly clock: SharedClock,
    private readonly days: number,
  ) {}

  async perform(): Promise<string | void> {
    if (this.days === 0) return;
    const before = await agoBy(this.clock, this.days * DAY_MS);
    let deleted = 0;
    for (let page = 1; page > 0; deleted += page)
      page = await inTransaction(this.pool, (tx) => deleteOldAuditEvents(tx, before));
    if (deleted > 0) return `${deleted} old events of the audit log were deleted.`;
  }
}
