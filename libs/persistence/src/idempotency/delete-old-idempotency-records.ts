import type { Pool } from 'pg';

const DELETED_AT_ONCE = 1_000;

const DELETE_OLD = `
  delete from idempotency_record where ctid = any(array(
    select ctid from idempotency_record where claimed_at < $1 limit ${DELETED_AT_ONCE} for update skip locked
  )) and claimed_at < $1`;

/** Deletes the records claimed before `before`, a batch at a time. Answers how many. */
export async function deleteOldIdempotencyRecords(pool: Pool, before: Date): Promise<number> {
  let deleted = 0;
  for (;;) {
    const query = { name: 'delete-old-idempotency-records', text: DELETE_OLD, values: [before] };
    const { rowCount } = await pool.query(query);
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < DELETED_AT_ONCE) return deleted;
  }
}
