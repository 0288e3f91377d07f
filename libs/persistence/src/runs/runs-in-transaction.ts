import { BacklogWatch, JobQueue, LiveUpdates, NOBODY_WATCHES, type ArrivingRun } from '@millrace/domain';
import { Injectable, Optional } from '@nestjs/common';
import { showEnqueued } from '../live/show-enqueued';
import type { Queryable } from '../postgres/in-transaction';
import { BestEffortEnqueue, EnqueuePatience } from './best-effort-enqueue';
import { assignJobs, intakeRow, jobsOf } from './intake-rows';
import { insertRuns, insertSpecialRuns, isSpecial, type IntakeRow } from './run-intake.statements';

/** Runs that are ready to be inserted. */
export type PreparedRuns = readonly IntakeRow[];

/**
 * Creates runs together with other changes of the database: `prepare` before the transaction, `insert` in it, `enqueue`
 * after its commit. When the process dies between commit and `enqueue`, the rescuer enqueues the runs.
 */
@Injectable()
export class RunsInTransaction {
  private readonly queue: BestEffortEnqueue;

  constructor(
    queue: JobQueue,
    patience: EnqueuePatience,
    @Optional() private readonly backlog?: BacklogWatch,
    @Optional() private readonly live: LiveUpdates = NOBODY_WATCHES,
  ) {
    this.queue = new BestEffortEnqueue(queue, patience);
  }

  /** Prepares runs, of which no two may have the same flow and idempotency key. */
  async prepare(runs: readonly ArrivingRun[]): Promise<PreparedRuns> {
    const rows = await Promise.all(runs.map(async (run) => intakeRow(run)));
    assignJobs(rows, (projectId) => this.backlog?.levelOf(projectId) ?? 0);
    return rows;
  }

  /** Inserts the runs whose idempotency key no other run has. Resolves with the ids of these runs. */
  async insert(tx: Queryable, runs: PreparedRuns): Promise<ReadonlySet<string>> {
    const special = runs.filter(({ run }) => isSpecial(run));
    const plain = runs.filter(({ run }) => !isSpecial(run));
    const ids = new Set<string>();
    for (const [rows, insert] of [[plain, insertRuns] as const, [special, insertSpecialRuns] as const])
      if (rows.length > 0) for (const id of (await insert(tx, rows)).ids) ids.add(id);
    return ids;
  }

  /** Enqueues the runs that `insert` has inserted, at this level of backlog at least. Never rejects. */
  async enqueue(runs: PreparedRuns, inserted: ReadonlySet<string>, leastLevel = 0): Promise<void> {
    const jobs = jobsOf(runs.filter(({ run }) => inserted.has(run.id)));
    showEnqueued(this.live, jobs);
    await this.queue.enqueue(leastLevel > 0 ? jobs.map((job) => ({ ...job, leastLevel })) : jobs);
  }
}
