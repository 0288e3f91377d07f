import {
  nextRenewal,
  nextStart,
  type Flow,
  type ListeningTrigger,
  type PopulatedFlow,
  type RenewalTimes,
  type Schedule,
} from '@millrace/domain';
import type { EntityManager, QueryRunner } from 'typeorm';

// The record of what the trigger of a flow waits for. It is written in the transaction that changes the flow.

// A poll is due at once, so that it knows what is there from the moment of its enabling on, and what a changed version
// asks for shows soon. A poll under way would be one of the version before, so its claim ends.
const LISTEN = `
  insert into trigger_state as known
    (flow_id, project_id, flow_version_id, kind, is_enabled, plan, event_name, due_at, updated)
  values ($1, $2, $3, $4, true, $5, $6, case when $4 = 'POLLING' then now() end, now())
  on conflict (flow_id) do update set
    project_id = excluded.project_id, flow_version_id = excluded.flow_version_id, kind = excluded.kind,
    is_enabled = true, plan = excluded.plan, event_name = excluded.event_name, updated = excluded.updated,
    due_at = coalesce(excluded.due_at, case when known.is_enabled and known.plan = excluded.plan then known.due_at end),
    next_instant = case when known.is_enabled and known.plan = excluded.plan then known.next_instant end,
    claimed_until = case when excluded.due_at is null and known.is_enabled and known.plan = excluded.plan
                         then known.claimed_until end,
    failure = null, failures = 0, failing_since = null
  returning due_at, updated`;

const START_SCHEDULE = 'update trigger_state set next_instant = $2, due_at = $3 where flow_id = $1';

// A version whose trigger stays as it is keeps when it is renewed, so that frequent publishing does not put it off.
const RENEW = `
  insert into trigger_renewal as known (flow_id, project_id, flow_version_id, every_hours, cron, due_at)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (flow_id) do update set
    project_id = excluded.project_id, flow_version_id = excluded.flow_version_id, every_hours = excluded.every_hours,
    cron = excluded.cron, due_at = least(known.due_at, excluded.due_at)`;

const END_RENEWALS = 'with ended as (delete from trigger_renewal where flow_id = $1)';

const STOP_LISTENING = `
  ${END_RENEWALS}
  update trigger_state
  set is_enabled = false, due_at = null, next_instant = null, claimed_until = null, updated = now() where flow_id = $1`;

/** Records what the flow listens to; null for nothing. An equal plan keeps the instant at which it is due. */
export async function writeTriggerState(
  tx: Pick<EntityManager | QueryRunner, 'query'>,
  flow: Pick<Flow, 'id' | 'projectId'>,
  listening: ListeningTrigger | null,
): Promise<void> {
  if (listening === null) {
    await tx.query(STOP_LISTENING, [flow.id]);
    return;
  }
  const { flowVersionId, plan, renewal } = listening;
  const planText = JSON.stringify(plan);
  const eventName = plan.event?.name ?? null;
  const values = [flow.id, flow.projectId, flowVersionId, plan.kind, planText, eventName];
  const listen = renewal === undefined ? `${END_RENEWALS} ${LISTEN}` : LISTEN;
  const [state] = (await tx.query(listen, values)) as { due_at: Date | null; updated: Date }[];
  if (renewal && state) {
    const dueAt = nextRenewal(renewal, state.updated);
    await tx.query(RENEW, [flow.id, flow.projectId, flowVersionId, ...columnsOf(renewal), dueAt]);
  }
  if (plan.schedule && state?.due_at === null) await startSchedule(tx, flow.id, plan.schedule, state.updated);
}

/** A worker of an older release reads the hours alone, and renews by the hour then. */
const columnsOf = (renewal: RenewalTimes): [everyHours: number, cron: string | null] =>
  'cron' in renewal ? [1, renewal.cron] : [renewal.everyHours, null];

/** The schedule fires from now on, by the database's clock. */
async function startSchedule(
  tx: Pick<EntityManager | QueryRunner, 'query'>,
  flowId: string,
  schedule: Schedule,
  now: Date,
): Promise<void> {
  const first = nextStart(schedule, flowId, now);
  await tx.query(START_SCHEDULE, [flowId, first?.instant ?? null, first?.startsAt ?? null]);
}

const FIND_FAILURE = `
  select failure as message, failing_since as since, failures from trigger_state
  where flow_id = $1 and is_enabled and failure is not null
  union all
  select message, since, failures from trigger_hook_failure where flow_id = $1
  limit 1`;

/** The failure of the flow's trigger, as the member of a populated flow; without a failure there is no member. */
export async function failingTrigger(
  tx: Pick<EntityManager | QueryRunner, 'query'>,
  flowId: string,
): Promise<Pick<PopulatedFlow, 'triggerFailure'>> {
  const [triggerFailure] = (await tx.query(FIND_FAILURE, [flowId])) as NonNullable<PopulatedFlow['triggerFailure']>[];
  return triggerFailure ? { triggerFailure } : {};
}
