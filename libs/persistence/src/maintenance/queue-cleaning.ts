import type { Duty } from '@millrace/domain';
import type { QueueCleaner } from '../queue/queue-cleaner';

/** Removes finished jobs whose time in the queue is over. */
export class QueueCleaning implements Duty {
  readonly name = 'Queue cleaning';
  readonly everyMs = 60_000;

  constructor(private readonly cleaner: QueueCleaner) {}

  async perform(): Promise<void> {
    await this.cleaner.clean();
  }
}
