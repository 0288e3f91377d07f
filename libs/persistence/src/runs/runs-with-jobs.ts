import { Logger } from '@nestjs/common';
import type { RunJob } from '@millrace/domain';
import type { Queryable } from '../postgres/in-transaction';
import { isStatementTimeout, postgresFailure } from '../postgres/postgres-failure';
import type { JobTable } from '../queue/job-table';
import { insertRunsWithJobs, type Inserted, type InsertRuns, type IntakeRow } from './run-intake.statements';

// Writes runs and their jobs by one statement, when the queue is a table in the database of the runs.
//
// T1. A failure of the queue does not keep a run from being accepted. After a failure, runs are inserted without their
//     jobs for a while, and the jobs are enqueued separately.
// T2. Only a lone run is written with its job. Commits with a notification take place one at a time in the whole
//     database, each until it is on the disk. Under load groups grow, and their jobs are enqueued separately again.
export class RunsWithJobs {
  private readonly logger = new Logger(RunsWithJobs.name);
  private separateUntil = 0;

  constructor(
    private readonly table: JobTable,
    private readonly pauseMs: number,
  ) {}

  get isPossible(): boolean {
    return performance.now() >= this.separateUntil;
  }

  /** Inserts runs with their jobs and calls `enqueued`. After a failure of the queue it inserts the runs by `plain`. */
  inserting(jobs: readonly RunJob[], plain: InsertRuns, enqueued: () => void): InsertRuns {
    return async (db, rows) => {
      try {
        const inserted = await this.insert(db, rows, jobs);
        if (inserted.ids.size === rows.length) enqueued();
        return inserted;
      } catch (error) {
        if (postgresFailure(error) !== 'bug' && !isStatementTimeout(error)) throw error;
        this.separateUntil = performance.now() + this.pauseMs;
        this.logger.warn(`Jobs cannot be written with their runs, will try again: ${String(error)}`);
        return plain(db, rows);
      }
    };
  }

  private insert(db: Queryable, rows: readonly IntakeRow[], jobs: readonly RunJob[]): Promise<Inserted> {
    return insertRunsWithJobs(db, rows, { queue: this.table.queueName, jobs: this.table.rowsOf(jobs) });
  }
}
