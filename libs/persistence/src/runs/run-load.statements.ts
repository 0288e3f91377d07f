import type { Pool } from 'pg';
import { NIL } from 'uuid';
import { idRange, inIdRange } from '../postgres/id-range';
import type { Queryable } from '../postgres/in-transaction';
import { plainArray } from '../postgres/packed-bytes';
import { LOADED_COLUMNS, type StoredRun, type StoredRunHead } from '../queue/loaded-run';

export interface StoredSegment {
  run_id: string;
  seq: number;
  records: Buffer;
}

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
  for await (const some of segmentsInParts(db, runIds)) for (const row of some) segments.push(row);
  return segments;
}

/** Yields the segments in the order of their runs, as many at once as one statement reads. */
export async function* segmentsInParts(db: Queryable, runIds: readonly string[]): AsyncGenerator<StoredSegment[]> {
  let last: StoredSegment | undefined;
  let isCut = runIds.length > 0;
  while (isCut) {
    const values = [plainArray(runIds), ...idRange(runIds), last?.run_id ?? NIL, last?.seq ?? -1];
    const { rows } = await db.query<StoredSegment>({ name: 'load-segments', text: LOAD_SEGMENTS, values });
    yield rows;
    last = rows.at(-1);
    isCut = rows.reduce((bytes, { records }) => bytes + records.length, 0) >= READ_BYTES;
  }
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
