import type { RunJob } from '@millrace/domain';
import type { AddedJob } from './lean-queue.statements';

/** The queue as a table in the database of the runs. One statement can write runs and their jobs there. */
export abstract class JobTable {
  abstract readonly queueName: string;
  abstract rowsOf(jobs: readonly RunJob[]): AddedJob[];
}
