import { firstIdAt } from '@millrace/domain';
import type { Pool } from 'pg';
import { inTransaction, type Queryable } from '../postgres/in-transaction';
import { plainArray } from '../postgres/packed-bytes';
import { DAY_MS, PARTITIONS_LOCK } from '../postgres/segment-partitions';
import { deleteOldResponses } from './postgres-run-notices';

// What runs did is kept for a while; that they ran stays. A run without its payload is one whose data is gone.
//
// D1. The payload goes first, the journal after it: who reads a payload reads all segments.
// D2. A run's age counts from its end. A mark says up to which run the data was purged; runs that had not ended long
//     enough ago then are noted, and purged when they have.
// D3. The mark and the note move in the transaction that purges, so a crash at any point repeats or leaves nothing.
// D4. A day's partition goes as a whole; segments of the noted runs move to the default partition in the same moment.

const BATCH = 1_000;
/** Everyone else's statements wait behind the one that waits for the journal. */
const LONGEST_WAIT_MS = 250;
const LONGEST_MOVE_MS = 60_000;

/** Purges the data of the runs that ended before `olderThan`. Safe to repeat, and to break off. */
export async function purgeRunData(pool: Pool, olderThan: Date): Promise<void> {
  await deleteOldResponses(pool);
  await untilNone(() => inTransaction(pool, (tx) => purgeEndedMeanwhile(tx, olderThan)));
  await untilNone(() => inTransaction(pool, (tx) => purgeNext(tx, olderThan)));
  await untilNone(() => deleteStraySegments(pool));
  for (const day of await partitionsBefore(pool, olderThan)) await dropPartition(pool, day);
}

/** In batches: each answers how many runs it looked at. */
async function untilNone(purgeBatch: () => Promise<number>): Promise<void> {
  while ((await purgeBatch()) > 0);
}

const ENDED_MEANWHILE = `
  select kept.run_id as id from run_data_kept kept join flow_run run on run.id = kept.run_id
  where run.finish_time < $1 order by kept.run_id limit ${BATCH}`;

async function purgeEndedMeanwhile(tx: Queryable, olderThan: Date): Promise<number> {
  const query = { name: 'ended-meanwhile', text: ENDED_MEANWHILE, values: [olderThan] };
  const { rows } = await tx.query<{ id: string }>(query);
  const ids = plainArray(rows.map(({ id }) => id));
  if (rows.length === 0) return 0;
  await purgeRuns(tx, ids);
  await tx.query({
    name: 'forget-kept-data',
    text: 'delete from run_data_kept where run_id = any($1::uuid[])',
    values: [ids],
  });
  return rows.length;
}

const NEXT = `
  select id, coalesce(finish_time < $2, false) as ended from flow_run
  where id > (select purged_up_to from run_data_mark for update) and id < $1 order by id limit ${BATCH}`;

async function purgeNext(tx: Queryable, olderThan: Date): Promise<number> {
  const { rows } = await tx.query<{ id: string; ended: boolean }>({
    name: 'next-old-runs',
    text: NEXT,
    values: [firstIdAt(olderThan), olderThan],
  });
  const last = rows.at(-1);
  if (!last) return 0;
  const idsWhere = (ended: boolean) => plainArray(rows.filter((row) => row.ended === ended).map(({ id }) => id));
  await purgeRuns(tx, idsWhere(true));
  await tx.query({
    name: 'note-kept-data',
    text: 'insert into run_data_kept select unnest($1::uuid[]) on conflict do nothing',
    values: [idsWhere(false)],
  });
  await tx.query({
    name: 'move-purge-mark',
    text: 'update run_data_mark set purged_up_to = $1',
    values: [last.id],
  });
  return rows.length;
}

const PURGE_PAYLOADS = `
  update flow_run set payload = null where id = any($1::uuid[]) and payload is not null`;
const PURGE_WAITS = `
  delete from run_request where run_id = any($1::uuid[])`;
const PURGE_RESPONSES = `
  delete from run_response where run_id = any($1::uuid[])`;
const PURGE_STORE = `
  delete from store_entry where scope = 'RUN' and scope_id = any($1::uuid[])`;

async function purgeRuns(tx: Queryable, ids: string): Promise<void> {
  await tx.query({ name: 'purge-payloads', text: PURGE_PAYLOADS, values: [ids] });
  await tx.query({ name: 'purge-waits', text: PURGE_WAITS, values: [ids] });
  await tx.query({ name: 'purge-responses', text: PURGE_RESPONSES, values: [ids] });
  await tx.query({ name: 'purge-run-store', text: PURGE_STORE, values: [ids] });
}

// In the default partition are those that moved there from dropped ones, and those of days that never had their own.
const DELETE_STRAY = `
  delete from run_segment_default where ctid = any(array(
    select segment.ctid from run_segment_default segment
    where segment.run_id <= (select purged_up_to from run_data_mark)
      and not exists (select from run_data_kept kept where kept.run_id = segment.run_id)
    limit ${BATCH}))`;

async function deleteStraySegments(pool: Pool): Promise<number> {
  return (await pool.query({ name: 'delete-stray-segments', text: DELETE_STRAY })).rowCount ?? 0;
}

interface DayPartition {
  name: string;
  from: string;
  to: string;
}

const PARTITIONS = `
  select child.relname as name from pg_inherits join pg_class child on child.oid = inhrelid
  where inhparent = 'run_segment'::regclass and child.relname ~ '^run_segment_[0-9]{8}$' order by child.relname`;

async function partitionsBefore(pool: Pool, olderThan: Date): Promise<DayPartition[]> {
  const { rows } = await pool.query<{ name: string }>(PARTITIONS);
  return rows
    .map(({ name }) => ({ name, begin: Date.parse(name.replace(/^.*_(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3T00:00:00Z')) }))
    .filter(({ begin }) => begin + DAY_MS <= olderThan.getTime())
    .map(({ name, begin }) => ({
      name,
      from: firstIdAt(new Date(begin)),
      to: firstIdAt(new Date(begin + DAY_MS)),
    }));
}

const KEPT_IN_DAY = `
  select run_id as id from run_data_kept where run_id >= $1 and run_id < $2`;

/** Detaching locks the journal: for as long as it takes to move the segments of the noted runs, which is little. */
async function dropPartition(pool: Pool, { name, from, to }: DayPartition): Promise<void> {
  const { rows } = await pool.query<{ id: string }>({ name: 'kept-in-day', text: KEPT_IN_DAY, values: [from, to] });
  await inTransaction(pool, async (tx) => {
    await tx.query(
      `set local lock_timeout = ${LONGEST_WAIT_MS}; set local statement_timeout = ${LONGEST_MOVE_MS};
       select pg_advisory_xact_lock(${PARTITIONS_LOCK}); alter table run_segment detach partition ${name}`,
    );
    await tx.query(`insert into run_segment select * from ${name} where run_id = any($1::uuid[])`, [
      plainArray(rows.map(({ id }) => id)),
    ]);
    await tx.query(`drop table ${name}`);
  });
}
