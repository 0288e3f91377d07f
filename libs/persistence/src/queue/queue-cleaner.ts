import { COMPLETED_JOB_RETENTION_SECONDS } from '@millrace/domain';
import type { QueueSettings } from './queue-connection';
import type { RunQueue } from './bullmq-job-queue';

/** Each call sorts all that is due, so few calls; but each also holds up Redis for its length. */
const BATCH = 5_000;
const MS_PER_DAY = 86_400_000;

/** Ends the keeping of finished jobs. Needed on PostgreSQL; on Redis, which does it at each completion, it finds what an idle queue left. */
export class QueueCleaner {
  constructor(
    private readonly queue: RunQueue,
    private readonly settings: Pick<QueueSettings, 'failedJobRetentionDays' | 'failedJobRetentionMaxCount'>,
  ) {}

  /** To be called about once a minute, by one worker. Returns how many jobs were removed. */
  async clean(): Promise<number> {
    const { failedJobRetentionDays, failedJobRetentionMaxCount } = this.settings;
    const completed = await this.removeOlderThan(COMPLETED_JOB_RETENTION_SECONDS * 1_000, 'completed');
    const failed = await this.removeOlderThan(failedJobRetentionDays * MS_PER_DAY, 'failed');
    const excess = (await this.queue.getFailedCount()) - failedJobRetentionMaxCount;
    return completed + failed + (await this.removeOldestFailed(excess));
  }

  private async removeOlderThan(ageMs: number, state: 'completed' | 'failed'): Promise<number> {
    let removed = 0;
    for (;;) {
      const batch = await this.queue.clean(ageMs, BATCH, state);
      removed += batch.length;
      if (batch.length < BATCH) return removed;
    }
  }

  private async removeOldestFailed(count: number): Promise<number> {
    let removed = 0;
    while (removed < count) {
      const batch = await this.queue.clean(0, Math.min(BATCH, count - removed), 'failed');
      if (batch.length === 0) break;
      removed += batch.length;
    }
    return removed;
  }
}
