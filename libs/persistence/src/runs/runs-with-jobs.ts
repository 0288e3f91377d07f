import { Logger } from '@nestjs/common';
import type { RunJob } from '@millrace/domain';
import type { Queryable } from '../postgres/in-transaction';
import { isStatementTimeout, postgresFailure } from '../postgres/postgres-failure';
import type { JobTable } from '../queue/job-table';
import { insertRunsWithJobs, type Inserted, type InsertRuns, type IntakeRow } from './run-intake.statements';

// Runs and their jobs in one statement, where the queue is a table beside that of the runs.
//
// T1. The queue's trouble does not keep a run from being accepted: then the runs are inserted without their jobs, for a
//     while, and the jobs are brought apart from them.
// T2. Only for a run that comes alone. Notices are given one after the other in the whole database, each until its
//     transaction is on the disk: when that is what waits, groups grow, and their notices are given apart again.
export class RunsWithJobs {
  private readonly logger = new Logger(RunsWithJobs.name);
  private apartUntil = 0;

  constructor(
    private readonly table: JobTable,
    private readonly pauseMs: number,
  ) {}

  get isPossible(): boolean {
    return Date.now() >= this.apartUntil;
  }

  /** Inserts runs with their jobs, and says so; or without, by `plain`. */
  inserting(jobs: readonly RunJob[], plain: InsertRuns, brought: () => void): InsertRuns {
    return async (db, rows) => {
      try {
        const inserted = await this.insert(db, rows, jobs);
        if (inserted.ids.size === rows.length) brought();
        return inserted;
      } catch (error) {
        if (postgresFailure(error) !== 'bug' && !isStatementTimeout(error)) throw error;
        this.apartUntil = Date.now() + this.pauseMs;
        this.logger.warn(`Jobs cannot be written with their runs, will try again: ${String(error)}`);
        return plain(db, rows);
      }
    };
  }

  private insert(db: Queryable, rows: readonly IntakeRow[], jobs: readonly RunJob[]): Promise<Inserted> {
    return insertRunsWithJobs(db, rows, { queue: this.table.queueName, jobs: this.table.rowsOf(jobs) });
  }
}
