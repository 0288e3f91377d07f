import type { ClaimedPoll, ClaimLimits, PollClaim, SettledPoll } from '@millrace/domain';
import type { Queryable } from '../postgres/in-transaction';

// The polls are the rows of `trigger_state` of their kind. A claim is good as long as its epoch is that of the row and
// the row is claimed: a change of the flow, a settlement and a later claim all end it.

const IS_DUE = `
  kind = 'POLLING' and is_enabled and due_at <= now() and (claimed_until is null or claimed_until <= now())`;

/** More than can be claimed at once. */
const CANDIDATES = 5_000;

// Projects take turns: each has its longest due poll claimed before any has its second. A project that has enough polls
// under way is left out before the candidates are counted. When projects with many due polls fill the candidates, the
// polls of the others are looked for in addition. The rows that another transaction has locked are left for the next
// call.
const CLAIM = `
  with under_way as (
    select project_id, count(*)::int as polls from trigger_state
    where kind = 'POLLING' and claimed_until > now() group by project_id
  ), longest_due as (
    select flow_id, project_id, due_at from trigger_state
    where ${IS_DUE} and project_id not in (select project_id from under_way where polls >= $2)
    order by due_at limit ${CANDIDATES}
  ), hidden as (
    select flow_id, project_id, due_at from trigger_state
    where (select count(*) from longest_due) = ${CANDIDATES} and ${IS_DUE}
      and project_id not in (select project_id from under_way where polls >= $2)
      and project_id not in (select project_id from longest_due group by project_id having count(*) >= $2)
    order by due_at limit ${CANDIDATES}
  ), candidate as (
    select * from longest_due union select * from hidden
  ), placed as (
    select flow_id, due_at,
           row_number() over (partition by project_id order by due_at) + coalesce(polls, 0) as place
    from candidate left join under_way using (project_id)
  ), chosen as (
    select flow_id from placed where place <= $2
    order by place, due_at limit greatest(0, $1 - (select coalesce(sum(polls), 0) from under_way)::int)
  ), locked as (
    select flow_id from trigger_state where flow_id in (select flow_id from chosen) and ${IS_DUE}
    order by flow_id for update skip locked
  )
  update trigger_state set claim_epoch = claim_epoch + 1, claimed_until = now() + $3 * interval '1 millisecond'
  where flow_id in (select flow_id from locked)
  returning flow_id, claim_epoch, project_id, flow_version_id`;

interface ClaimedRow {
  flow_id: string;
  claim_epoch: number;
  project_id: string;
  flow_version_id: string;
}

export async function claimDuePolls(
  db: Queryable,
  { most, mostOfProject, leaseMs }: ClaimLimits,
): Promise<ClaimedPoll[]> {
  const query = { name: 'claim-due-polls', text: CLAIM, values: [most, mostOfProject, leaseMs] };
  return (await db.query<ClaimedRow>(query)).rows.map((row) => ({
    flowId: row.flow_id,
    epoch: row.claim_epoch,
    projectId: row.project_id,
    flowVersionId: row.flow_version_id,
  }));
}

const IS_HELD = `flow_id = $1 and claim_epoch = $2 and kind = 'POLLING' and is_enabled and claimed_until is not null`;

const FIND = `
  select project_id, flow_version_id, plan, failures, memory,
         claimed_until < now() + $3 * interval '1 millisecond' as is_short
  from trigger_state left join poll_memory using (flow_id) where ${IS_HELD}`;

const RENEW = `update trigger_state set claimed_until = now() + $3 * interval '1 millisecond' where ${IS_HELD}`;

export interface HeldPollRow {
  project_id: string;
  flow_version_id: string;
  plan: string;
  failures: number;
  memory: Buffer | null;
  is_short: boolean;
}

/** The row of a claimed poll, whose claim then lasts `leaseMs` at least; undefined when the claim has ended. */
export async function findHeldPoll(
  db: Queryable,
  { flowId, epoch }: PollClaim,
  leaseMs: number,
): Promise<HeldPollRow | undefined> {
  const values = [flowId, epoch, leaseMs];
  const row = (await db.query<HeldPollRow>({ name: 'find-held-poll', text: FIND, values })).rows[0];
  if (!row?.is_short) return row;
  return (await db.query({ name: 'renew-held-poll', text: RENEW, values })).rowCount === 1 ? row : undefined;
}

const END_CLAIM = `
  update trigger_state set
    due_at = now() + $3 * interval '1 millisecond', claimed_until = null, failure = $4,
    failures = case when $4::text is null then 0 when $6 then failures else failures + 1 end,
    failing_since = case when $4::text is null then null else coalesce(failing_since, now()) end
  where ${IS_HELD} and flow_version_id = $5`;

/** Ends the claim, and keeps the row locked until the transaction ends. False when the claim had ended before. */
export async function endPollClaim(
  tx: Queryable,
  { flowId, epoch, flowVersionId }: ClaimedPoll,
  { restMs, failure, isRefused = false }: Pick<SettledPoll, 'restMs' | 'failure' | 'isRefused'>,
): Promise<boolean> {
  const values = [flowId, epoch, restMs, failure, flowVersionId, isRefused];
  return (await tx.query({ name: 'end-poll-claim', text: END_CLAIM, values })).rowCount === 1;
}

const HOLD_FLOW = `select from flow where id = $1 and operation_status <> 'ENABLING' for key share`;

/** Keeps a flow as it is until the transaction ends. False when it is gone, or while a trigger of it is enabled. */
export async function holdPolledFlow(tx: Queryable, flowId: string): Promise<boolean> {
  return (await tx.query({ name: 'hold-polled-flow', text: HOLD_FLOW, values: [flowId] })).rowCount === 1;
}

const WRITE_MEMORY = `
  insert into poll_memory (flow_id, memory, updated) values ($1, $2, now())
  on conflict (flow_id) do update set memory = excluded.memory, updated = excluded.updated`;

export async function writePollMemory(tx: Queryable, flowId: string, memory: Buffer): Promise<void> {
  await tx.query({ name: 'write-poll-memory', text: WRITE_MEMORY, values: [flowId, memory] });
}
