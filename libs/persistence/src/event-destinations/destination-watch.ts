import { RUN_EVENT_KINDS } from '@millrace/domain';
import type { Pool } from 'pg';

/**
 * For how long it is trusted that no destination listens to runs. A change of a destination is answered after this time,
 * so every change of a run that begins after that answer makes its events.
 */
export const TRUSTED_MS = 1_000;
const ASK_AGAIN_MS = TRUSTED_MS / 2;

const FIND = `
  select exists (select from event_destination where status = 'ENABLED' and events && $1::text[]) as listens`;

/**
 * Knows whether a statement that changes runs must also insert events. Most installations have no destination for
 * events of runs, and their statements then do not touch the tables of events. Whoever does not know inserts: the
 * statement that does so is right in any case, only slower.
 */
export class DestinationWatch {
  private noneUntil = -Infinity;
  private askAt = -Infinity;
  private isAsking = false;

  constructor(
    private readonly pool: Pool,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Asks the database in the background when the last answer is getting old. An idle process does not ask. */
  mayListenToRuns(): boolean {
    const now = this.now();
    if (now >= this.askAt && !this.isAsking) void this.ask(now);
    return now >= this.noneUntil;
  }

  /** The answer is trusted from before the question, because it may be old already when it arrives. */
  private async ask(askedAt: number): Promise<void> {
    this.isAsking = true;
    try {
      const query = { name: 'destinations-for-runs', text: FIND, values: [[...RUN_EVENT_KINDS]] };
      const { rows } = await this.pool.query<{ listens: boolean }>(query);
      this.noneUntil = rows[0]?.listens === false ? askedAt + TRUSTED_MS : -Infinity;
    } catch {
      // An earlier answer is trusted for its time, and no longer.
    } finally {
      this.isAsking = false;
      this.askAt = this.now() + ASK_AGAIN_MS;
    }
  }
}
