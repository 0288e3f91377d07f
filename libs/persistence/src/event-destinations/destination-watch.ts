import { RUN_EVENT_KINDS } from '@millrace/domain';
import type { Pool } from 'pg';

/**
 * For how long it is trusted that no destination listens to runs of a project. A change of a destination is answered after this time,
 * so every change of a run that begins after that answer makes its events.
 */
export const TRUSTED_MS = 1_000;
const ASK_AGAIN_MS = TRUSTED_MS / 2;

const FIND = `
  select distinct project_id as "projectId" from event_destination where status = 'ENABLED' and events && $1::text[]`;

/**
 * Knows whether a statement that changes runs of a project must also insert events. Most projects have no destination
 * for events of runs, and the statements of their runs then do not touch the tables of events, whatever other projects
 * have. Whoever does not know inserts: the statement that does so is right in any case, only slower.
 */
export class DestinationWatch {
  private listening: ReadonlySet<string> = new Set();
  private knownUntil = -Infinity;
  private askAt = -Infinity;
  private isAsking = false;

  constructor(
    private readonly pool: Pool,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Whether a destination may listen to the runs of the project; undefined is a project that is not known. Asks the
   * database in the background when the last answer is getting old. An idle process does not ask.
   */
  mayListenToRunsOf(projectId: string | undefined): boolean {
    const now = this.now();
    if (now >= this.askAt && !this.isAsking) void this.ask(now);
    if (now >= this.knownUntil) return true;
    return this.listening.size > 0 && (projectId === undefined || this.listening.has(projectId));
  }

  /** The answer is trusted from before the question, because it may be old already when it arrives. */
  private async ask(askedAt: number): Promise<void> {
    this.isAsking = true;
    try {
      const query = { name: 'projects-that-listen', text: FIND, values: [[...RUN_EVENT_KINDS]] };
      const { rows } = await this.pool.query<{ projectId: string }>(query);
      this.listening = new Set(rows.map(({ projectId }) => projectId));
      this.knownUntil = askedAt + TRUSTED_MS;
    } catch {
      // An earlier answer is trusted for its time, and no longer.
    } finally {
      this.isAsking = false;
      this.askAt = this.now() + ASK_AGAIN_MS;
    }
  }
}
