import { Logger } from '@nestjs/common';
import type { RunJob } from '@millrace/domain';
import type { Pool } from 'pg';
import type { Queryable } from '../postgres/in-transaction';
import { isStatementTimeout, postgresFailure } from '../postgres/postgres-failure';
import type { JobTable } from '../queue/job-table';
import { announceJobs, insertRunsWithJobs, type InsertRuns, type IntakeRow } from './run-intake.statements';

// Runs and their jobs in one statement, where the queue is a table beside that of the runs.
//
// T1. The queue's trouble does not keep a run from being accepted: then the runs are inserted without their jobs, for a
//     while, and the jobs are brought apart from them.
// T2. Workers are told of a run that comes alone by its statement, of more by one after it, which nobody waits for. A
//     worker that was not told asks by itself after some seconds.
export class RunsWithJobs {
  private readonly logger = new Logger(RunsWithJobs.name);
  private apartUntil = 0;
  private isAnnouncing = false;
  private hasMore = false;

  constructor(
    private readonly pool: Pool,
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

  private async insert(db: Queryable, rows: readonly IntakeRow[], jobs: readonly RunJob[]) {
    const { queueName: queue } = this.table;
    const isAlone = rows.length === 1;
    const inserted = await insertRunsWithJobs(db, rows, { queue, jobs: this.table.rowsOf(jobs), announced: isAlone });
    if (!isAlone) void this.announce();
    return inserted;
  }

  /** What comes meanwhile is announced together. */
  private async announce(): Promise<void> {
    this.hasMore = true;
    if (this.isAnnouncing) return;
    this.isAnnouncing = true;
    try {
      while (this.hasMore) {
        this.hasMore = false;
        await announceJobs(this.pool, this.table.queueName);
      }
    } catch (error) {
      this.logger.warn(`Workers were not told of new jobs, and will find them: ${String(error)}`);
    } finally {
      this.isAnnouncing = false;
    }
  }
}
