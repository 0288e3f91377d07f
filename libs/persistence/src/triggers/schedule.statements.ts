import type { FlowSchedule, ScheduledStart, TriggerPlan } from '@millrace/domain';
import type { Queryable } from '../postgres/in-transaction';
import { plainArray } from '../postgres/packed-bytes';
import { markInstants } from './schedule-day.statements';

/** The state of a schedule's trigger. `schedule` is absent when the plan has none. */
export interface DueSchedule extends Omit<FlowSchedule, 'schedule'> {
  plan: TriggerPlan;
  dueAt: Date;
  nextInstant: Date;
  /** The database's time at which the schedule was found to be due. */
  now: Date;
}

const COLUMNS = `
  flow_id as "flowId", project_id as "projectId", flow_version_id as "flowVersionId", plan,
  date_trunc('milliseconds', due_at) as "dueAt", coalesce(next_instant, due_at) as "nextInstant", now() as now`;
const LISTENS = `kind = 'SCHEDULE' and is_enabled`;

type ScheduleRow = Omit<DueSchedule, 'plan'> & { plan: string };

const parsed = (row: ScheduleRow): DueSchedule => ({ ...row, plan: JSON.parse(row.plan) as TriggerPlan });

const FIND_DUE = `select ${COLUMNS} from trigger_state where ${LISTENS} and due_at <= now() order by due_at limit $1`;

/** The schedules that are due, those first that are due for the longest time. */
export async function findDueSchedules(db: Queryable, limit: number): Promise<DueSchedule[]> {
  const { rows } = await db.query<ScheduleRow>({ name: 'find-due-schedules', text: FIND_DUE, values: [limit] });
  return rows.map(parsed);
}

const FIND = `select ${COLUMNS} from trigger_state where ${LISTENS} and flow_id = $1`;

/** The schedule of a flow; null when the flow is disabled or has another trigger. */
export async function findSchedule(db: Queryable, flowId: string): Promise<DueSchedule | null> {
  const { rows } = await db.query<ScheduleRow>({ name: 'find-schedule', text: FIND, values: [flowId] });
  return rows[0] ? parsed(rows[0]) : null;
}

/** What becomes of a schedule that was found to be due. */
export interface SettledSchedule {
  due: DueSchedule;
  /** The instant that fires, with the id of its run. Null when the schedule cannot be read. */
  fired: { instant: Date; runId: string } | null;
  /** The next start. Null when there is none, or when the schedule does not fire: then its instant stays. */
  next: ScheduledStart | null;
  /** Why the schedule does not fire. */
  failure: { message: string; restMs: number; isRefused: boolean } | null;
}

// A schedule is moved only if it is as it was found. Therefore a process that was frozen moves none a second time, and a
// flow that was disabled or published meanwhile is left alone. One that another transaction has locked is left too.
const FIRED = 'select flow_id, instant from asked where instant is not null and flow_id in (select flow_id from moved)';
const SETTLE = `
  with asked as (
    select * from unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::timestamptz[], $5::timestamptz[],
                         $6::timestamptz[], $7::uuid[], $8::text[], $9::int[], $10::int[])
      as asked (flow_id, due_at, flow_version_id, next_instant, starts_at, instant, run_id, failure, rest_ms, counts)
  ), held as (
    select state.flow_id from trigger_state state join asked on asked.flow_id = state.flow_id
    where ${LISTENS} and date_trunc('milliseconds', state.due_at) = asked.due_at
      and state.flow_version_id = asked.flow_version_id
    order by state.flow_id for update of state skip locked
  ), moved as (
    update trigger_state state
    set due_at = case when asked.failure is null then asked.starts_at
                      else now() + asked.rest_ms * interval '1 millisecond' end,
        next_instant = case when asked.failure is null then asked.next_instant else state.next_instant end,
        failure = asked.failure,
        failures = case when asked.failure is null then 0 else failures + asked.counts end,
        failing_since = case when asked.failure is null then null else coalesce(failing_since, now()) end
    from asked where state.flow_id = asked.flow_id and state.flow_id in (select flow_id from held)
    returning state.flow_id
  ), marked as (
    ${markInstants(FIRED)}
  )
  select (select count(*)::int from moved) as moved,
         array(select run_id from asked where flow_id in (select flow_id from marked)) as fired`;

/** Moves schedules to their next instants. Returns how many were moved, and the runs whose instant had none yet. */
export async function settleSchedules(
  tx: Queryable,
  settled: readonly SettledSchedule[],
): Promise<{ moved: number; fired: ReadonlySet<string> }> {
  const values = [
    plainArray(settled.map(({ due }) => due.flowId)),
    plainArray(settled.map(({ due }) => literal(due.dueAt))),
    plainArray(settled.map(({ due }) => due.flowVersionId)),
    plainArray(settled.map(({ next }) => literal(next?.instant))),
    plainArray(settled.map(({ next }) => literal(next?.startsAt))),
    plainArray(settled.map(({ fired }) => literal(fired?.instant))),
    plainArray(settled.map(({ fired }) => fired?.runId ?? 'null')),
    settled.map(({ failure }) => failure?.message ?? null),
    plainArray(settled.map(({ failure }) => failure?.restMs ?? 0)),
    plainArray(settled.map(({ failure }) => (failure?.isRefused ? 0 : 1))),
  ];
  const query = { name: 'settle-schedules', text: SETTLE, values };
  const { rows } = await tx.query<{ moved: number; fired: string[] }>(query);
  return { moved: rows[0]?.moved ?? 0, fired: new Set(rows[0]?.fired) };
}

const literal = (moment: Date | undefined): string => moment?.toISOString() ?? 'null';
