import { firstIdAt } from '@millrace/domain';
import type { Pool, PoolClient } from 'pg';

/** Any number, the same in every process. */
export const PARTITIONS_LOCK = 7_203_115_003;
export const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Makes the daily partitions of the journal for `days` days from the UTC day of `from` on. What exists is left alone,
 * and two processes may do it at once. Segments of a day that had no partition yet are moved into it.
 */
export async function ensureSegmentPartitions(pool: Pool, from: Date, days: number): Promise<void> {
  const firstDay = Math.floor(from.getTime() / DAY_MS);
  for (let day = firstDay; day < firstDay + days; day++) await ensurePartition(pool, new Date(day * DAY_MS));
}

async function ensurePartition(pool: Pool, day: Date): Promise<void> {
  const name = `run_segment_${day.toISOString().slice(0, 10).replaceAll('-', '')}`;
  if (await isAttached(pool, name)) return;
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [PARTITIONS_LOCK]);
    if (!(await isAttached(client, name))) await attachPartition(client, name, day);
    await client.query('commit');
    client.release();
  } catch (error) {
    // Closing the connection rolls back.
    client.release(true);
    throw error;
  }
}

/**
 * `create table … partition of` would lock the whole journal. Attaching locks only the default partition, for as long
 * as it takes to see that none of the day's segments are left in it.
 */
async function attachPartition(client: PoolClient, name: string, day: Date): Promise<void> {
  const from = firstIdAt(day);
  const to = firstIdAt(new Date(day.getTime() + DAY_MS));
  await client.query(`
    create table ${name} (like run_segment including all) with (toast_tuple_target = 8160);
    lock table run_segment_default in access exclusive mode;
    with moved as (delete from run_segment_default where run_id >= '${from}' and run_id < '${to}' returning *)
    insert into ${name} select * from moved;
    alter table run_segment attach partition ${name} for values from ('${from}') to ('${to}')`);
}

async function isAttached(db: Pick<Pool | PoolClient, 'query'>, name: string): Promise<boolean> {
  const { rowCount } = await db.query<object>(
    `select 1 from pg_inherits where inhparent = 'run_segment'::regclass and inhrelid = to_regclass($1)`,
    [name],
  );
  return rowCount === 1;
}
