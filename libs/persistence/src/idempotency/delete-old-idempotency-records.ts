import type { Pool } from 'pg';
import { untilNone } from '../postgres/halving-batches';

const DELETED_AT_ONCE = 1_000;

const DELETE_OLD = `
  delete from idempotency_record where ctid = any(array(
    select ctid from idempotency_record where claimed_at < $1 limit $2 for update skip locked
  )) and claimed_at < $1`;

/** Deletes the records that were claimed before `before`, in batches. Returns how many were deleted. */
export async function deleteOldIdempotencyRecords(pool: Pool, before: Date): Promise<number> {
  return untilNone(DELETED_AT_ONCE, async (limit) => {
    const query = { name: 'delete-old-idempotency-records', text: DELETE_OLD, values: [before, limit] };
    return (await pool.query(query)).rowCount ?? 0;
  });
}
