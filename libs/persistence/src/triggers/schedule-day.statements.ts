import type { Queryable } from '../postgres/in-transaction';
import { plainArray } from '../postgres/packed-bytes';

// The instants of a flow that have a run are marked as bits of the days, in UTC. Instants are whole minutes.

/** The day and the minute of the column `instant`. */
const DAY = `(instant at time zone 'UTC')::date`;
const MINUTE = `(extract(epoch from instant)::bigint / 60 % 1440)::int`;
const NO_MINUTES = `repeat('0', 1440)::bit(1440)`;
const BIT = `set_bit(${NO_MINUTES}, ${MINUTE}, 1)`;

/**
 * Marks one instant of each flow in `source`, a query of flow_id and instant. It returns the flows whose instant was
 * not marked before.
 */
export const markInstants = (source: string): string => `
  insert into schedule_day as known (flow_id, day, minutes)
  select flow_id, ${DAY}, ${BIT} from (${source}) as fired order by flow_id
  on conflict (flow_id, day) do update set minutes = known.minutes | excluded.minutes
  where known.minutes & excluded.minutes <> excluded.minutes
  returning flow_id`;

const MARKED = `
  select instant from unnest($2::timestamptz[]) as asked (instant)
  join schedule_day on flow_id = $1 and day = ${DAY} where get_bit(minutes, ${MINUTE}) = 1`;

/** Those of the instants that have a run, as numbers. */
export async function instantsWithRun(
  db: Queryable,
  flowId: string,
  instants: readonly Date[],
): Promise<ReadonlySet<number>> {
  const query = { name: 'find-marked-instants', text: MARKED, values: [flowId, textOf(instants)] };
  const { rows } = await db.query<{ instant: Date }>(query);
  return new Set(rows.map(({ instant }) => instant.getTime()));
}

const LOCK_DAYS = `
  insert into schedule_day as known (flow_id, day, minutes)
  select distinct $1::uuid, ${DAY}, ${NO_MINUTES} from unnest($2::timestamptz[]) as asked (instant) order by 2
  on conflict (flow_id, day) do update set minutes = known.minutes`;

// The days are locked, so what the statement reads is what it replaces.
const TAKE = `
  with asked as (
    select ${DAY} as day, ${MINUTE} as minute, ${BIT} as bit, run_id
    from unnest($2::timestamptz[], $3::uuid[]) as asked (instant, run_id)
  ), marked as (
    update schedule_day set minutes = minutes | added
    from (select day, bit_or(bit) as added from asked group by day) as wanted
    where flow_id = $1 and schedule_day.day = wanted.day
  )
  select run_id from asked join schedule_day using (day) where flow_id = $1 and get_bit(minutes, minute) = 0`;

/** Marks the instants that have no run yet. Returns the ids of their runs. */
export async function takeInstants(
  tx: Queryable,
  flowId: string,
  runs: readonly { instant: Date; runId: string }[],
): Promise<ReadonlySet<string>> {
  const instants = textOf(runs.map(({ instant }) => instant));
  await tx.query({ name: 'lock-schedule-days', text: LOCK_DAYS, values: [flowId, instants] });
  const values = [flowId, instants, plainArray(runs.map(({ runId }) => runId))];
  const { rows } = await tx.query<{ run_id: string }>({ name: 'take-instants', text: TAKE, values });
  return new Set(rows.map(({ run_id }) => run_id));
}

const textOf = (instants: readonly Date[]): string => plainArray(instants.map((instant) => instant.toISOString()));
