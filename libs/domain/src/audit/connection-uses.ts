import type { AuditLog, ConnectionUsage } from './audit-event';

const REPEATED_AFTER_MS = 3_600_000;
const MOST_REMEMBERED = 50_000;
const MOST_WAITING = 5_000;

/**
 * Collects the uses of connections by runs. Noting one costs a look at a map; the log is written by `flush`, which its
 * owner calls now and then. A process that dies forgets the last uses.
 */
export class ConnectionUses {
  /** When each use was noted last, the oldest first. */
  private readonly noted = new Map<string, number>();
  private waiting: ConnectionUsage[] = [];

  constructor(
    private readonly log: Pick<AuditLog, 'recordUses'>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  note(use: ConnectionUsage): void {
    const key = `${use.connectionId} ${use.flowId}`;
    const now = this.nowMs();
    const last = this.noted.get(key);
    if (last !== undefined && now - last < REPEATED_AFTER_MS) return;
    if (this.waiting.length >= MOST_WAITING) return;
    this.noted.delete(key);
    this.noted.set(key, now);
    if (this.noted.size > MOST_REMEMBERED) this.noted.delete(this.noted.keys().next().value as string);
    this.waiting.push(use);
  }

  /** Writes what was noted. What could not be written is noted again with its next use. */
  async flush(): Promise<void> {
    if (this.waiting.length === 0) return;
    const uses = this.waiting;
    this.waiting = [];
    try {
      await this.log.recordUses(uses);
    } catch (error) {
      for (const { connectionId, flowId } of uses) this.noted.delete(`${connectionId} ${flowId}`);
      throw error;
    }
  }
}
