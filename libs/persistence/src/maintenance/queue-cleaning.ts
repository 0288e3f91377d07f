import type { Duty } from '@millrace/domain';
import type { QueueCleaner } from '../queue/queue-cleaner';

/** Removes finished jobs from the queue when their retention is over. */
export class QueueCleaning implements Duty {
  readonly name = 'Queue cleaning';
  readonly everyMs = 60_000;

  constructor(private readonly cleaner: QueueCleaner) {}

  async perform(): Promise<void> {
    await this.cleaner.clean();
  }
}
