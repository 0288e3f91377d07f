import type { RunJob } from '@millrace/domain';
import type { AddedJob } from './lean-queue.statements';

/** The queue, where it is a table beside that of the runs: their jobs can be written in one statement with them. */
export abstract class JobTable {
  abstract readonly queueName: string;
  abstract rowsOf(jobs: readonly RunJob[]): AddedJob[];
}
