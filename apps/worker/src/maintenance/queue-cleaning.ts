import { QueueCleaner } from '@millrace/persistence';
import type { Duty } from './duties';

/** Removes finished jobs whose time in the queue is over. */
export class QueueCleaning implements Duty {
  readonly name = 'Queue cleaning';
  readonly everyMs = 60_000;

  constructor(private readonly cleaner: QueueCleaner) {}

  async perform(): Promise<void> {
    await this.cleaner.clean();
  }
}
