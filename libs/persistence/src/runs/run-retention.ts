import { firstIdAt } from '@millrace/domain';
import type { Pool } from 'pg';
import { NIL } from 'uuid';
import { untilNone } from '../postgres/halving-batches';
import { idRange, inIdRange } from '../postgres/id-range';
import { plainArray } from '../postgres/packed-bytes';
import { DAY_MS, dropPartition, partitionNames } from '../postgres/partitions';
import { KEYS, RUNS, spanOf } from '../postgres/run-partitions';
import { purgeRunData } from './run-data-retention';

// Deletes the rows of old runs, a month at a time, when the youngest run of the month is old enough.
//
// R1. A run's age counts from its end. A run that has not ended long enough ago, or has still to tell its parent, is
//     carried over into the default partition, and is deleted there when its time has come.
// R2. The data of a run is deleted first, then its tags, then its row, so that a crash leaves nothing behind.
// R3. The table is locked while rows are carried over and the partition is dropped. A month with too many rows to carry
//     over stays until a later call.

const ROWS_AT_ONCE = 10_000;
const MOST_CARRIED_OVER = 10_000;
const DELETED_AT_ONCE = 1_000;

/** The condition that a row stays: its run had not ended before `$1`, or has still to tell its parent. */
const STAYS = `(coalesce(finish_time >= $1, true) or (parent_run_id is not null and not parent_told))`;

/**
 * Deletes the runs that ended before `olderThan`, with all their data. It can be repeated, and interrupted at any
 * point. Returns how many months it dropped, and how many runs it deleted that were carried over from such months. Throws
 * TableInUseError when other statements kept a table in use.
 */
export async function dropOldRuns(pool: Pool, olderThan: Date): Promise<{ months: number; runs: number }> {
  await purgeRunData(pool, olderThan);
  let months = 0;
  for (const name of await partitionNames(pool, RUNS))
    if (spanOf(name).end <= olderThan && (await dropMonth(pool, name, olderThan))) months++;
  return { months, runs: await untilNone(DELETED_AT_ONCE, (limit) => deleteCarriedOver(pool, olderThan, limit)) };
}

/** False when too many runs of the month stay. */
async function dropMonth(pool: Pool, name: string, olderThan: Date): Promise<boolean> {
  const staying = await runsThatStay(pool, name, olderThan);
  if (staying.length > MOST_CARRIED_OVER) return false;
  const { begin, end } = spanOf(name);
  const span = [firstIdAt(begin), firstIdAt(end), plainArray(staying)];
  await untilNone(DELETED_AT_ONCE, async (limit) => {
    const query = { name: 'drop-tags-of-month', text: DROP_TAGS, values: [...span, limit] };
    return (await pool.query(query)).rowCount ?? 0;
  });
  const move = `insert into flow_run select * from ${name} where id = any($1::uuid[]) and ${inIdRange('id', 2)}`;
  await dropPartition(pool, RUNS, name, (tx) => tx.query(move, [plainArray(staying), ...idRange(staying)]));
  return true;
}

const DROP_TAGS = `
  delete from run_tag where ctid = any(array(
    select ctid from run_tag where run_id >= $1 and run_id < $2 and run_id <> all($3::uuid[]) limit $4))`;

/**
 * Finds the runs that stay, page after page, without a lock. It stops when there are too many to carry over. A run that
 * has ended cannot become unfinished again, so the result cannot lack a run later.
 */
async function runsThatStay(pool: Pool, name: string, olderThan: Date): Promise<string[]> {
  const text = `
    select (array_agg(id order by id desc))[1] as last, count(*)::int as count, array_agg(id) filter (where stays) as ids
    from (select id, ${STAYS} as stays from ${name} where id > $2 order by id limit $3) page`;
  const staying: string[] = [];
  let after: string = NIL;
  await untilNone(ROWS_AT_ONCE, async (limit) => {
    const { rows } = await pool.query<{ last: string; count: number; ids: string[] | null }>(text, [
      olderThan,
      after,
      limit,
    ]);
    const [page] = rows;
    if (!page || page.count === 0 || staying.length > MOST_CARRIED_OVER) return 0;
    after = page.last;
    staying.push(...(page.ids ?? []));
    return page.count;
  });
  return staying;
}

const DELETE_CARRIED_OVER = `
  with old as (
    delete from flow_run_default where ctid = any(array(
      select ctid from flow_run_default where id < $2 and not ${STAYS} limit $3)) returning id
  ), tags as (
    delete from run_tag where run_id in (select id from old)
  )
  select id from old`;

async function deleteCarriedOver(pool: Pool, olderThan: Date, limit: number): Promise<number> {
  const values = [olderThan, firstIdAt(olderThan), limit];
  return (await pool.query({ name: 'delete-carried-over', text: DELETE_CARRIED_OVER, values })).rowCount ?? 0;
}

/** Drops the idempotency keys of days that ended at least a day ago, which leaves room for clocks that differ. */
export async function dropOldRunKeys(pool: Pool, now: Date): Promise<void> {
  for (const name of await partitionNames(pool, KEYS))
    if (spanOf(name).end.getTime() + DAY_MS <= now.getTime()) await dropPartition(pool, KEYS, name);
}
