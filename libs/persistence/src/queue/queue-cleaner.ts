import { COMPLETED_JOB_RETENTION_SECONDS } from '@millrace/domain';
import { Inject, Injectable } from '@nestjs/common';
import { QueueSettings } from './queue-settings';
import type { Queue } from 'bullmq';
import { BULLMQ_QUEUE } from './run-queue';

/**
 * How many jobs one call removes. Each call sorts all old jobs, so calls should be few; but a call also blocks Redis.
 */
const BATCH = 5_000;
const MS_PER_DAY = 86_400_000;

/**
 * Removes finished jobs that are old enough or too many. On PostgreSQL nothing else removes them. On Redis each
 * completion removes them, and the cleaner finds those that an idle queue has left.
 */
@Injectable()
export class QueueCleaner {
  constructor(
    @Inject(BULLMQ_QUEUE) private readonly queue: Pick<Queue, 'clean' | 'getFailedCount'>,
    @Inject(QueueSettings)
    private readonly settings: Pick<QueueSettings, 'failedJobRetentionDays' | 'failedJobRetentionMaxCount'>,
  ) {}

  /** Removes jobs and returns their number. One worker should call it about once a minute. */
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
