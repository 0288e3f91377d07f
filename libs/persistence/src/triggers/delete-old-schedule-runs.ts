import type { Pool } from 'pg';
import { untilNone } from '../postgres/halving-batches';

const DELETED_AT_ONCE = 10_000;

const DELETE_OLD = `
  delete from schedule_run where ctid = any(array(select ctid from schedule_run where instant < $1 limit $2))
    and instant < $1`;

/** Deletes the marks of instants before `before`, in batches. Returns how many were deleted. */
export async function deleteOldScheduleRuns(pool: Pool, before: Date): Promise<number> {
  return untilNone(DELETED_AT_ONCE, async (limit) => {
    const query = { name: 'delete-old-schedule-runs', text: DELETE_OLD, values: [before, limit] };
    return (await pool.query(query)).rowCount ?? 0;
  });
}
