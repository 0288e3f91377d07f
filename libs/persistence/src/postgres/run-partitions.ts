import { firstIdAt } from '@millrace/domain';
import type { Pool } from 'pg';
import { DAY_MS, ensurePartition, type Partition, type PartitionedTable } from './partitions';

// Runs are partitioned by month; segments and idempotency keys of runs are partitioned by day. Ids grow with time, so a
// span of time is a range of ids.

export const RUNS: PartitionedTable = { name: 'flow_run', key: 'id', settings: 'fillfactor = 75' };
/** The storage setting keeps a segment that fits a page in its row. */
export const SEGMENTS: PartitionedTable = { name: 'run_segment', key: 'run_id', settings: 'toast_tuple_target = 8160' };
export const KEYS: PartitionedTable = { name: 'run_key', key: 'day' };

const MONTHS_AHEAD = 1;
const DAYS_AHEAD = 7;

/**
 * Makes the partitions of the present and the next month of runs, and of today and the next seven days of segments and
 * keys. Returns how many it made. The call can be repeated, and several processes may call it at once. Throws
 * TableInUseError.
 */
export async function ensurePartitionsAhead(pool: Pool, now: Date): Promise<number> {
  let made = await ensureRunPartitions(pool, now, 1 + MONTHS_AHEAD);
  made += await ensureSegmentPartitions(pool, now, 1 + DAYS_AHEAD);
  for (const day of daysFrom(now, 1 + DAYS_AHEAD)) if (await ensurePartition(pool, KEYS, keysOf(day))) made++;
  return made;
}

/**
 * Makes the partitions of runs for this many UTC months, beginning with the month of `from`. Throws TableInUseError.
 */
export async function ensureRunPartitions(pool: Pool, from: Date, months: number): Promise<number> {
  let made = 0;
  for (let n = 0; n < months; n++) {
    const month = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + n));
    const name = runPartitionAt(month);
    if (await ensurePartition(pool, RUNS, { name, ...idsBetween(month, nextMonth(month)) })) made++;
  }
  return made;
}

/** The name of the partition of runs for the month of this moment. */
export const runPartitionAt = (time: Date): string => `${RUNS.name}_${digits(time).slice(0, 6)}`;

/**
 * Makes the partitions of segments for this many UTC days, beginning with the day of `from`. Throws TableInUseError.
 */
export async function ensureSegmentPartitions(pool: Pool, from: Date, days: number): Promise<number> {
  let made = 0;
  for (const day of daysFrom(from, days)) {
    const name = `run_segment_${digits(day)}`;
    if (await ensurePartition(pool, SEGMENTS, { name, ...idsBetween(day, nextDay(day)) })) made++;
  }
  return made;
}

/** Makes a partition of runs, segments or keys by its name, unless it exists. Throws TableInUseError. */
export async function ensurePartitionNamed(pool: Pool, name: string): Promise<void> {
  const { begin } = spanOf(name);
  if (name.startsWith(`${RUNS.name}_`)) await ensureRunPartitions(pool, begin, 1);
  else if (name.startsWith(`${SEGMENTS.name}_`)) await ensureSegmentPartitions(pool, begin, 1);
  else if (name.startsWith(`${KEYS.name}_`)) await ensurePartition(pool, KEYS, keysOf(begin));
  else throw new Error(`${name} is no partition that this release knows.`);
}

const keysOf = (day: Date): Partition => ({
  name: `run_key_${digits(day)}`,
  from: isoDay(day),
  to: isoDay(nextDay(day)),
});

/** Reads the span of a partition of runs, segments or keys from the partition's name. `end` is exclusive. */
export function spanOf(name: string): { begin: Date; end: Date } {
  const [, year, month, day] = /_(\d{4})(\d\d)(\d\d)?$/.exec(name) ?? [];
  if (day !== undefined) {
    const begin = new Date(`${year}-${month}-${day}T00:00:00Z`);
    return { begin, end: nextDay(begin) };
  }
  const begin = new Date(`${year}-${month}-01T00:00:00Z`);
  return { begin, end: nextMonth(begin) };
}

function daysFrom(from: Date, days: number): Date[] {
  const first = Math.floor(from.getTime() / DAY_MS);
  return Array.from({ length: days }, (_, n) => new Date((first + n) * DAY_MS));
}

const isoDay = (day: Date): string => day.toISOString().slice(0, 10);
const digits = (day: Date): string => isoDay(day).replaceAll('-', '');
const nextDay = (day: Date): Date => new Date(day.getTime() + DAY_MS);
const nextMonth = (month: Date): Date => new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1));
const idsBetween = (begin: Date, end: Date) => ({ from: firstIdAt(begin), to: firstIdAt(end) });
