import { firstIdAt } from '@millrace/domain';
import type { Pool } from 'pg';
import { untilNone } from '../postgres/halving-batches';
import { idRange, inIdRange } from '../postgres/id-range';
import { inTransaction, type Queryable } from '../postgres/in-transaction';
import { plainArray } from '../postgres/packed-bytes';
import { dropPartition, partitionNames, type LockPatience } from '../postgres/partitions';
import { SEGMENTS, spanOf } from '../postgres/run-partitions';
import { deleteOldResponses } from './postgres-run-notices';

// Purges the data of runs (payload, journal, waits, responses, store entries) after a retention period. The rows of the
// runs stay. A run without its payload has lost its data.
//
// D1. The payload is deleted before the journal, so a reader that still finds the payload has read all segments.
// D2. A run's age counts from its end. A mark holds the last run that was looked at. Runs that had not ended long
//     enough ago at that time are noted in run_data_kept, and purged when they have.
// D3. The mark and the notes change in the transaction that purges, so a crash neither repeats nor omits a part.
// D4. The partition of a day is dropped as a whole. The same transaction moves the segments of noted runs to the
//     default partition.

const BATCH = 1_000;

/**
 * Purges the data of the runs that ended before `olderThan`. It can be repeated, and interrupted at any point. Throws
 * TableInUseError when other statements used the journal during all tries of `patience`.
 */
export async function purgeRunData(pool: Pool, olderThan: Date, patience?: LockPatience): Promise<Purged> {
  await deleteOldResponses(pool);
  const late = await untilNone(BATCH, (limit) =>
    inTransaction(pool, (tx) => purgeEndedMeanwhile(tx, olderThan, limit)),
  );
  const next = await untilNone(BATCH, (limit) => inTransaction(pool, (tx) => purgeNext(tx, olderThan, limit)));
  await untilNone(BATCH, (limit) => deleteStraySegments(pool, limit));
  const old = (await partitionNames(pool, SEGMENTS)).filter((name) => spanOf(name).end <= olderThan);
  for (const name of old) await dropDay(pool, name, patience);
  return { runs: late + next, days: old.length };
}

/** What one call purged. */
export interface Purged {
  /** The runs whose time was over. Those among them that have not ended keep their data. */
  runs: number;
  /** The days whose partition was dropped. */
  days: number;
}

const ENDED_MEANWHILE = `
  select kept.run_id as id from run_data_kept kept join flow_run run on run.id = kept.run_id
  where run.finish_time < $1 order by kept.run_id limit $2`;

async function purgeEndedMeanwhile(tx: Queryable, olderThan: Date, limit: number): Promise<number> {
  const query = { name: 'ended-meanwhile', text: ENDED_MEANWHILE, values: [olderThan, limit] };
  const { rows } = await tx.query<{ id: string }>(query);
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  await purgeRuns(tx, ids);
  await tx.query({
    name: 'forget-kept-data',
    text: 'delete from run_data_kept where run_id = any($1::uuid[])',
    values: [plainArray(ids)],
  });
  return rows.length;
}

const NEXT = `
  select id, coalesce(finish_time < $2, false) as ended from flow_run
  where id > (select purged_up_to from run_data_mark for update) and id < $1 order by id limit $3`;

async function purgeNext(tx: Queryable, olderThan: Date, limit: number): Promise<number> {
  const { rows } = await tx.query<{ id: string; ended: boolean }>({
    name: 'next-old-runs',
    text: NEXT,
    values: [firstIdAt(olderThan), olderThan, limit],
  });
  const last = rows.at(-1);
  if (!last) return 0;
  const idsWhere = (ended: boolean) => rows.filter((row) => row.ended === ended).map(({ id }) => id);
  await purgeRuns(tx, idsWhere(true));
  await tx.query({
    name: 'note-kept-data',
    text: 'insert into run_data_kept select unnest($1::uuid[]) on conflict do nothing',
    values: [plainArray(idsWhere(false))],
  });
  await tx.query({
    name: 'move-purge-mark',
    text: 'update run_data_mark set purged_up_to = $1',
    values: [last.id],
  });
  return rows.length;
}

const PURGE_PAYLOADS = `
  update flow_run set payload = null where id = any($1::uuid[]) and payload is not null and ${inIdRange('id', 2)}`;
const PURGE_WAITS = `
  delete from run_request where run_id = any($1::uuid[])`;
const PURGE_RESPONSES = `
  delete from run_response where run_id = any($1::uuid[])`;
const PURGE_STORE = `
  delete from store_entry where scope = 'RUN' and scope_id = any($1::uuid[])`;

async function purgeRuns(tx: Queryable, runIds: readonly string[]): Promise<void> {
  const ids = plainArray(runIds);
  await tx.query({ name: 'purge-payloads', text: PURGE_PAYLOADS, values: [ids, ...idRange(runIds)] });
  await tx.query({ name: 'purge-waits', text: PURGE_WAITS, values: [ids] });
  await tx.query({ name: 'purge-responses', text: PURGE_RESPONSES, values: [ids] });
  await tx.query({ name: 'purge-run-store', text: PURGE_STORE, values: [ids] });
}

// The default partition holds segments that were moved there from dropped partitions, and segments of days without a
// partition. A clock that is behind may make the id of a run that the mark has passed. Such a run still has its payload,
// and is noted here: otherwise its journal would be deleted while it executes.
const DELETE_STRAY = `
  with stray as materialized (
    select segment.ctid, segment.run_id from run_segment_default segment
    where segment.run_id <= (select purged_up_to from run_data_mark)
      and not exists (select from run_data_kept kept where kept.run_id = segment.run_id)
    limit $1
  ), late as materialized (
    select distinct stray.run_id from stray join flow_run run on run.id = stray.run_id where run.payload is not null
  ), noted as (
    insert into run_data_kept select run_id from late on conflict do nothing
  )
  delete from run_segment_default
  where ctid = any(array(select ctid from stray where run_id not in (select run_id from late)))`;

async function deleteStraySegments(pool: Pool, limit: number): Promise<number> {
  return (await pool.query({ name: 'delete-stray-segments', text: DELETE_STRAY, values: [limit] })).rowCount ?? 0;
}

const KEPT_IN_DAY = `
  select run_id as id from run_data_kept where run_id >= $1 and run_id < $2`;

async function dropDay(pool: Pool, name: string, patience?: LockPatience): Promise<void> {
  const { begin, end } = spanOf(name);
  const query = { name: 'kept-in-day', text: KEPT_IN_DAY, values: [firstIdAt(begin), firstIdAt(end)] };
  const kept = plainArray((await pool.query<{ id: string }>(query)).rows.map(({ id }) => id));
  const move = `insert into run_segment select * from ${name} where run_id = any($1::uuid[])`;
  await dropPartition(pool, SEGMENTS, name, (tx) => tx.query(move, [kept]), patience);
}
