import { FORGOTTEN_AFTER_SECONDS, type Duty } from '@millrace/domain';
import type { Pool } from 'pg';

const DELETE_SILENT = `
  delete from worker_machine where last_heartbeat <= now() - interval '${FORGOTTEN_AFTER_SECONDS} seconds'`;

/** Removes workers that have been silent for long from the list. */
export class WorkerMachinePruning implements Duty {
  readonly name = 'Worker machine pruning';
  readonly isRoutine = true;
  readonly everyMs = 600_000;

  constructor(private readonly pool: Pool) {}

  async perform(): Promise<string | void> {
    const { rowCount } = await this.pool.query(DELETE_SILENT);
    if (rowCount) return `${rowCount} workers that had been silent for long were removed from the list.`;
  }
}
