import { storableJson, type RunClaim, type RunEnding } from '@millrace/domain';
import type { Pool } from 'pg';
import { NIL } from 'uuid';
import { idRange, inIdRange } from '../postgres/id-range';
import {
  BEGINS,
  EVENT_COLUMNS,
  insertRunEventsOf,
  kindOfEnding,
  kindsIf,
  rowBefore,
} from '../event-destinations/run-event.statements';
import type { Queryable } from '../postgres/in-transaction';
import { packBytes, plainArray } from '../postgres/packed-bytes';
import { storableText } from '../postgres/stored-json';
import { countsFrom, LOADED_COLUMNS, type StoredRun, type StoredRunHead } from '../queue/loaded-run';
import { insertTagsOf, TAGGED_COLUMNS } from './run-tag.statements';

// Every write is fenced: it changes a run only while `id`, `epoch` and `status = 'RUNNING'` match, and returns the
// claims that matched. Waits that a run leaves open when it ends are closed when they are due. Until then they cannot
// be ended.

export interface ClaimRow extends RunClaim {
  startTime: Date | null;
  leaseSeconds: number;
}

export interface SegmentRow extends RunClaim {
  seq: number;
  records: Buffer;
  stepsCount: number;
}

export interface EndingRow {
  ending: RunEnding;
  /** Empty when there is nothing to record. */
  records: Buffer;
}

export interface StoredSegment {
  run_id: string;
  seq: number;
  records: Buffer;
}

/** Returns a text that is equal for equal claims. */
export const claimKey = ({ runId, epoch }: RunClaim): string => `${runId} ${epoch}`;

const APPEND_LEASE = `interval '15 seconds'`;

/** A statement stops reading payloads or segments when it has read this much, so that none takes long. */
const READ_BYTES = 8 * 1024 * 1024;

const HEAD = LOADED_COLUMNS.filter(([name]) => name !== 'payload')
  .map(([name, value]) => `${value} as ${name}`)
  .join(', ');

const ASKED_RUNS = `id = any($1::uuid[]) and ${inIdRange('id', 2)}`;

// PostgreSQL knows the length of a payload without reading it.
const LOAD_RUNS = `
  select ${HEAD}, case when bytes_before < ${READ_BYTES} then payload end as payload,
    bytes_before >= ${READ_BYTES} as is_cut
  from (
    select *, sum(coalesce(octet_length(payload), 0)) over (rows unbounded preceding)
      - coalesce(octet_length(payload), 0) as bytes_before
    from flow_run where ${ASKED_RUNS}
  ) asked`;

export async function loadRuns(pool: Pool, runIds: readonly string[]): Promise<StoredRun[]> {
  const loaded: StoredRun[] = [];
  for (let asked = runIds; asked.length > 0;) {
    const values = [plainArray(asked), ...idRange(asked)];
    const { rows } = await pool.query<StoredRun & { is_cut: boolean }>({ name: 'load-runs', text: LOAD_RUNS, values });
    loaded.push(...rows.filter((row) => !row.is_cut));
    asked = rows.filter((row) => row.is_cut).map(({ id }) => id);
  }
  return loaded;
}

const LOAD_HEADS = `select ${HEAD} from flow_run where ${ASKED_RUNS}`;

/** Loads the rows without their payloads, which may be large. */
export async function loadRunHeads(pool: Pool, runIds: readonly string[]): Promise<StoredRunHead[]> {
  const values = [plainArray(runIds), ...idRange(runIds)];
  return (await pool.query<StoredRunHead>({ name: 'load-run-heads', text: LOAD_HEADS, values })).rows;
}

const LOAD_SEGMENTS = `
  select run_id, seq, records from (
    select run_id, seq, records,
      sum(octet_length(records)) over (order by run_id, seq rows unbounded preceding) - octet_length(records) as bytes_before
    from run_segment where run_id = any($1::uuid[]) and ${inIdRange('run_id', 2)} and (run_id, seq) > ($4::uuid, $5::int)
  ) asked
  where bytes_before < ${READ_BYTES} order by run_id, seq`;

export async function loadSegments(db: Queryable, runIds: readonly string[]): Promise<StoredSegment[]> {
  const segments: StoredSegment[] = [];
  let isCut = runIds.length > 0;
  while (isCut) {
    const last = segments.at(-1);
    const values = [plainArray(runIds), ...idRange(runIds), last?.run_id ?? NIL, last?.seq ?? -1];
    const { rows } = await db.query<StoredSegment>({ name: 'load-segments', text: LOAD_SEGMENTS, values });
    for (const row of rows) segments.push(row);
    isCut = rows.reduce((bytes, { records }) => bytes + records.length, 0) >= READ_BYTES;
  }
  return segments;
}

export function segmentsByRun(segments: readonly StoredSegment[]): Map<string, StoredSegment[]> {
  const grouped = new Map<string, StoredSegment[]>();
  for (const segment of segments) {
    const ofRun = grouped.get(segment.run_id);
    if (ofRun) ofRun.push(segment);
    else grouped.set(segment.run_id, [segment]);
  }
  return grouped;
}

// A run with a live lease cannot be claimed: the owner must finish or release the run, or the lease must expire. A
// lease that expired without a release counts as a lost worker. A claim without a start time does not begin the run.
const claimStatement = (moreTables = '', moreColumns = '') => `
  update flow_run run
  set epoch = run.epoch + 1, start_time = coalesce(run.start_time, claim.start_time),
      time_counts_from = case when paused_at is null then time_counts_from else ${countsFrom('run.start_time')} end,
      paused_at = null,
      worker_deaths = run.worker_deaths + (run.lease_until is not null)::int,
      lease_until = now() + claim.lease_seconds * interval '1 second', updated = now()
  from unnest($1::uuid[], $2::int[], $3::timestamptz[], $4::float8[]) as claim (id, epoch, start_time, lease_seconds)${moreTables}
  where run.id = claim.id and run.epoch = claim.epoch and run.status = 'RUNNING'
    and (run.lease_until is null or run.lease_until < now()) and ${inIdRange('run.id', 5)}
  returning run.id, claim.epoch${moreColumns}`;

const CLAIM = claimStatement();

// Whoever begins a run also raises its epoch or ends it, so the row before the change is the row of this epoch.
const CLAIM_WITH_EVENTS = `
  with claimed as (
    ${claimStatement(rowBefore('claim.id', 5), `, ${EVENT_COLUMNS}, ${kindsIf(BEGINS)} as kinds`)}
  ), reported as (${insertRunEventsOf('claimed')})
  select id, epoch from claimed`;

/** `withEvents` is false only when no destination listens to these runs. */
export async function claimRuns(pool: Pool, claims: readonly ClaimRow[], withEvents: boolean): Promise<Set<string>> {
  const [name, text] = withEvents ? ['claim-runs-with-events', CLAIM_WITH_EVENTS] : ['claim-runs', CLAIM];
  return heldClaims(pool, name, text, [
    plainArray(claims.map(({ runId }) => runId)),
    plainArray(claims.map(({ epoch }) => epoch)),
    plainArray(claims.map(({ startTime }) => startTime?.toISOString() ?? 'null')),
    plainArray(claims.map(({ leaseSeconds }) => leaseSeconds)),
    ...idRange(claims.map(({ runId }) => runId)),
  ]);
}

const RENEW = `
  update flow_run run set lease_until = now() + $3::float8 * interval '1 second'
  from unnest($1::uuid[], $2::int[]) as claim (id, epoch)
  where run.id = claim.id and run.epoch = claim.epoch and run.status = 'RUNNING' and run.lease_until is not null
    and ${inIdRange('run.id', 4)}
  returning run.id, run.epoch`;

export async function renewLeases(pool: Pool, claims: readonly RunClaim[], leaseSeconds: number): Promise<Set<string>> {
  return heldClaims(pool, 'renew-leases', RENEW, [
    plainArray(claims.map(({ runId }) => runId)),
    plainArray(claims.map(({ epoch }) => epoch)),
    leaseSeconds,
    ...idRange(claims.map(({ runId }) => runId)),
  ]);
}

// A release raises the epoch. A worker that loaded the run before the last segments of this claim can then not claim
// it.
const RELEASE = `
  update flow_run set lease_until = null, epoch = epoch + 1, updated = now()
  where id = $1 and epoch = $2 and status = 'RUNNING' and lease_until is not null`;

export async function releaseRun(pool: Pool, { runId, epoch }: RunClaim): Promise<boolean> {
  return (await pool.query({ name: 'release-run', text: RELEASE, values: [runId, epoch] })).rowCount === 1;
}

// A claim in a later epoch has counted this worker as lost although it lives, so its death is taken back. When the call
// is repeated because its first answer was lost, it takes back one death too many; that ends no run.
const DISOWN = `
  update flow_run run
  set worker_deaths = case when run.epoch = claim.epoch then worker_deaths else worker_deaths - 1 end,
      lease_until = case when run.epoch = claim.epoch then null else lease_until end,
      epoch = run.epoch + (run.epoch = claim.epoch)::int, updated = now()
  from unnest($1::uuid[], $2::int[]) as claim (id, epoch)
  where run.id = claim.id and run.status = 'RUNNING' and ${inIdRange('run.id', 3)}
    and (run.epoch = claim.epoch and run.lease_until is not null or run.epoch > claim.epoch and worker_deaths > 0)`;

export async function disownRuns(pool: Pool, claims: readonly RunClaim[]): Promise<void> {
  const runIds = claims.map(({ runId }) => runId);
  const values = [plainArray(runIds), plainArray(claims.map(({ epoch }) => epoch)), ...idRange(runIds)];
  await pool.query({ name: 'disown-runs', text: DISOWN, values });
}

// An append renews the lease, so a worker that loaded the run before this segment cannot claim it afterwards. A segment
// that is written again, because its first answer was lost, replaces itself. "is true" makes the check a hash look-up:
// for a plain "in" the planner, which expects few rows here, would compare every row with every other.
const APPEND = `
  with segment as (
    select id, epoch, seq, steps_count, substr($7::bytea, records_start, records_length) as records
    from unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::int[], $6::int[])
      as s (id, epoch, seq, steps_count, records_start, records_length)
  ), held as (
    update flow_run run
    set lease_until = greatest(run.lease_until, now() + ${APPEND_LEASE}), steps_count = claim.steps_count, updated = now()
    from (select id, epoch, max(steps_count) as steps_count from segment group by id, epoch) as claim
    where run.id = claim.id and run.epoch = claim.epoch and run.status = 'RUNNING' and run.lease_until is not null
      and ${inIdRange('run.id', 8)}
    returning run.id, run.epoch
  ), written as (
    insert into run_segment (run_id, seq, records)
    select id, seq, records from segment where ((id, epoch) in (select id, epoch from held)) is true
    on conflict (run_id, seq) do update set records = excluded.records
  )
  select id, epoch from held`;

export async function appendSegments(pool: Pool, segments: readonly SegmentRow[]): Promise<Set<string>> {
  const packed = packBytes(segments.map(({ records }) => records));
  return heldClaims(pool, 'append-segments', APPEND, [
    plainArray(segments.map(({ runId }) => runId)),
    plainArray(segments.map(({ epoch }) => epoch)),
    plainArray(segments.map(({ seq }) => seq)),
    plainArray(segments.map(({ stepsCount }) => stepsCount)),
    plainArray(packed.starts),
    plainArray(packed.lengths),
    packed.bytes,
    ...idRange(segments.map(({ runId }) => runId)),
  ]);
}

// Tags are sent as JSON, because unnest would flatten an array of arrays. An ending without tags leaves the run's tags.
// A run that was ended from outside keeps that ending, and its worker's last records are added. Such a run was
// cancelled, or failed with its child; its lease tells the latter from a run that failed by itself.
const finishStatement = (moreColumns = '', moreWrites = '', moreTables = '') => `
  with ended as (
    update flow_run run
    set status = case when run.status = 'RUNNING' then ending.status else run.status end, start_time = coalesce(run.start_time, ending.start_time),
        finish_time = coalesce(run.finish_time, ending.finish_time), steps_count = ending.steps_count,
        failed_step = coalesce(run.failed_step, ending.failed_step),
        status_reason = coalesce(run.status_reason, ending.status_reason), lease_until = null, paused_at = null,
        updated = now(),
        tags = case when ending.tags is null then run.tags
                    else array(select json_array_elements_text(ending.tags)) end
    from unnest($1::uuid[], $2::int[], $3::int[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::int[],
                $8::json[], $9::text[], $10::json[], $11::int[], $12::int[])
      as ending (id, epoch, seq, status, start_time, finish_time, steps_count,
                 failed_step, status_reason, tags, records_start, records_length)${moreTables}
    where run.id = ending.id and run.epoch = ending.epoch and ${inIdRange('run.id', 14)}
      and (run.status = 'RUNNING' or ending.status = 'STOPPED'
           and (run.status = 'STOPPED' or run.status = 'FAILED' and run.lease_until is not null))
    returning run.id, run.epoch, ending.seq, ending.records_start, ending.records_length${moreColumns}
  ), written as (
    insert into run_segment (run_id, seq, records)
    select id, seq, substr($13::bytea, records_start, records_length) from ended where records_length > 0
    on conflict (run_id, seq) do update set records = excluded.records
  )${moreWrites}
  select id, epoch from ended`;

const FINISH = finishStatement();

/** The statement for groups with tags. Other groups do not open the table of tags. */
const FINISH_TAGGED = finishStatement(`, ${TAGGED_COLUMNS}`, `, tagged as (${insertTagsOf('ended')})`);

// A worker that stops a cancelled run finds it ended, by a finish time of its own. Any other ending changes the status.
const ENDS = `(ending.status <> 'STOPPED' or run.finish_time = ending.finish_time)`;
const EVENTS_OF_ENDING = kindsIf([BEGINS[0], `${BEGINS[1]} and ${ENDS}`], [kindOfEnding('run.status'), ENDS]);

/** The statement that also inserts events. It writes tags too, so that there is no fourth statement. */
const FINISH_WITH_EVENTS = finishStatement(
  `, ${EVENT_COLUMNS}, ${EVENTS_OF_ENDING} as kinds`,
  `, tagged as (${insertTagsOf('ended')}), reported as (${insertRunEventsOf('ended')})`,
  rowBefore('ending.id', 14),
);

/** `withEvents` is false only when no destination listens to these runs. */
export async function finishRuns(pool: Pool, rows: readonly EndingRow[], withEvents: boolean): Promise<Set<string>> {
  const endings = rows.map(({ ending }) => ending);
  const packed = packBytes(rows.map(({ records }) => records));
  const hasTags = endings.some(({ tags }) => tags.length > 0);
  const [name, text] = withEvents
    ? ['finish-runs-with-events', FINISH_WITH_EVENTS]
    : hasTags
      ? ['finish-tagged-runs', FINISH_TAGGED]
      : ['finish-runs', FINISH];
  return heldClaims(pool, name, text, [
    plainArray(endings.map(({ runId }) => runId)),
    plainArray(endings.map(({ epoch }) => epoch)),
    plainArray(endings.map(({ seq }) => seq)),
    plainArray(endings.map(({ status }) => status)),
    plainArray(endings.map(({ startTime }) => startTime.toISOString())),
    plainArray(endings.map(({ finishTime }) => finishTime.toISOString())),
    plainArray(endings.map(({ stepsCount }) => stepsCount)),
    endings.map(({ failedStep }) => failedStep && storableJson(JSON.stringify(failedStep))),
    endings.map(({ statusReason }) => statusReason && storableText(statusReason)),
    endings.map(({ tags }) => (tags.length > 0 ? storableJson(JSON.stringify(tags)) : null)),
    plainArray(packed.starts),
    plainArray(packed.lengths),
    packed.bytes,
    ...idRange(endings.map(({ runId }) => runId)),
  ]);
}

async function heldClaims(pool: Pool, name: string, text: string, values: unknown[]): Promise<Set<string>> {
  const { rows } = await pool.query<{ id: string; epoch: number }>({ name, text, values });
  return new Set(rows.map(({ id, epoch }) => claimKey({ runId: id, epoch })));
}
