import type { Pool } from 'pg';
import { untilNone } from '../postgres/halving-batches';

const DELETED_AT_ONCE = 10_000;

const IS_OLD = `day < ($1::timestamptz at time zone 'UTC')::date`;
const DELETE_OLD = `
  delete from schedule_day where ctid = any(array(select ctid from schedule_day where ${IS_OLD} limit $2)) and ${IS_OLD}`;

/** Deletes the marks of the days before that of `before`, in batches. Returns how many days were deleted. */
export async function deleteOldScheduleDays(pool: Pool, before: Date): Promise<number> {
  return untilNone(DELETED_AT_ONCE, async (limit) => {
    const query = { name: 'delete-old-schedule-days', text: DELETE_OLD, values: [before, limit] };
    return (await pool.query(query)).rowCount ?? 0;
  });
}
