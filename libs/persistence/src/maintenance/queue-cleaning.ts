import type { Duty } from '@millrace/domain';
import type { QueueCleaner } from '../queue/queue-cleaner';

/** Removes finished jobs from a queue when their retention is over. */
export class QueueCleaning implements Duty {
  readonly isRoutine = true;
  readonly everyMs = 60_000;

  constructor(
    private readonly cleaner: Pick<QueueCleaner, 'clean'>,
    readonly name = 'Queue cleaning',
  ) {}

  async perform(): Promise<string | void> {
    const removed = await this.cleaner.clean();
    if (removed > 0) return `${removed} finished jobs were removed.`;
  }
}
