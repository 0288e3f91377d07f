import {
  OPERATION_CLAIM_MS,
  retryAfterMs,
  storableJson,
  type LiveTrigger,
  type NextAttempt,
  type TriggerOperation,
  type TriggerOperationKind,
  type TriggerToDisable,
} from '@millrace/domain';
import { newId } from '../postgres/new-id';
import type { Send } from '../postgres/send';
import { storableText } from '../postgres/stored-json';

// The rows of operations of triggers. A change of a flow writes them through TypeORM's connection, and everything else
// through the hot pool, so each statement is given the function that sends it.

/** How long after its enqueueing, or after the start of an attempt, the job of an operation counts as lost. */
export const LOST_AFTER_SECONDS = OPERATION_CLAIM_MS / 1_000;

export interface OperationRow {
  id: string;
  flow_id: string;
  project_id: string;
  kind: TriggerOperationKind;
  status: 'PENDING' | 'SUCCEEDED' | 'FAILED';
  triggers: string;
  outcome: string | null;
  attempts: number;
  epoch: number;
  /** Until when a worker may be inside a hook of the operation, or of one that it took over or that it was before. */
  claimed_until: Date | null;
  is_claimed: boolean;
  /** Nobody waits for the operation any more. */
  is_expired: boolean;
}

export function toOperation(row: OperationRow): TriggerOperation {
  const { off, on, restore } = triggersOf(row);
  return { id: row.id, flowId: row.flow_id, projectId: row.project_id, kind: row.kind, off, on, restore };
}

/** The triggers of an operation, as they are stored. */
export interface StoredTriggers extends NextAttempt {
  /** Whether `restore` may not listen, because of an operation that this one took over. */
  mayBeDeaf?: boolean;
  /** The operation for the end of whose attempt this one waits: itself when it was undone. */
  waitsFor?: string;
}

export const triggersOf = ({ triggers }: Pick<OperationRow, 'triggers'>): StoredTriggers =>
  JSON.parse(triggers) as StoredTriggers;

export const textOfTriggers = ({ off, on, restore, mayBeDeaf, waitsFor }: StoredTriggers): string => {
  const triggers = { off: off.map(alone), on: on && alone(on), restore: restore && alone(restore) };
  return storableJson(JSON.stringify({ ...triggers, mayBeDeaf, waitsFor }));
};

/** A trigger without the steps that follow it, which no hook needs. */
const alone = <Live extends LiveTrigger>(live: Live): Live => ({
  ...live,
  trigger: { ...live.trigger, nextAction: undefined },
});

export const COLUMNS = `id, flow_id, project_id, kind, status, triggers, outcome, attempts, epoch,
  claimed_until, coalesce(claimed_until > now(), false) as is_claimed, coalesce(expires_at < now(), false) as is_expired`;

export const FIND_OF_FLOW = `select ${COLUMNS} from trigger_operation where flow_id = $1 and kind <> 'TESTING' for update`;
const REMOVE = 'delete from trigger_operation where id = $1 returning id';
const INSERT = `
  insert into trigger_operation (id, flow_id, project_id, kind, triggers, due_at, expires_at, claimed_until, epoch,
    outcome)
  values ($1, $2, $3, $4, $5, coalesce($8, now() + $6 * interval '1 second'), now() + $7 * interval '1 millisecond',
    $8, case when $8::timestamptz is null then 1 else 2 end, $9)
  returning id`;

/** How soon the duty enqueues an operation whose first job was lost. */
const FIRST_JOB_LOST_AFTER_SECONDS = 10;

/**
 * Begins an operation, which takes over what an earlier one of the flow has left. False when somebody waits for an
 * earlier one. The flow's row is locked.
 *
 * What a worker registers at this moment for the earlier one is known only when its hook has ended. The operation waits
 * for that: the epoch of its first job is not its own, and a duty enqueues the next one.
 */
export async function insertOperation(
  send: Send,
  operation: TriggerOperation,
  patienceMs: number | null,
): Promise<boolean> {
  const { id, flowId, projectId, kind } = operation;
  const [before] = kind === 'TESTING' ? [] : await send<OperationRow>(FIND_OF_FLOW, [flowId]);
  if (before && isAwaited(before)) return false;
  if (before) await send(REMOVE, [before.id]);
  const triggers = textOfTriggers(before ? takingOver(before, operation) : operation);
  const waitsUntil = before && mayBeEnabling(before) ? before.claimed_until : null;
  const shown = before && before.status !== 'FAILED' ? outcomeText({ problem: outcomeOf(before).problem }) : null;
  const times = [FIRST_JOB_LOST_AFTER_SECONDS, patienceMs, waitsUntil];
  await send(INSERT, [id, flowId, projectId, kind, triggers, ...times, shown]);
  return true;
}

export const isAwaited = ({ kind, status, is_expired }: OperationRow): boolean =>
  kind === 'ENABLING' && status !== 'FAILED' && !is_expired;

/** Whether a worker may be inside an `onEnable` of an operation, or of one for whose end it waits. */
const mayBeEnabling = (row: OperationRow): boolean =>
  row.status === 'PENDING' && row.is_claimed && (row.attempts === 0 || triggersOf(row).on !== null);

/** The triggers of an operation, with what may still be registered elsewhere because of the one before. */
function takingOver(before: OperationRow, { off, on, restore }: NextAttempt): StoredTriggers {
  const { off: left, on: tried, mayBeDeaf = false } = triggersOf(before);
  const enabled = before.status === 'FAILED' || isUntouched(before) ? null : tried;
  const known = withoutRepeats([...left, ...(enabled ? [enabled] : []), ...off]);
  return { off: known, on, restore, mayBeDeaf: enabled !== null || mayBeDeaf, waitsFor: attemptedBy(before) };
}

/** Inside of whose hooks a worker may be: those of an operation, or of the one for which it waits. */
export const attemptedBy = (row: OperationRow): string | undefined =>
  row.attempts > 0 ? row.id : triggersOf(row).waitsFor;

/** Whether no worker has begun with an enabling. */
export const isUntouched = ({ kind, attempts }: OperationRow): boolean => kind === 'ENABLING' && attempts === 0;

/** What is to be done for an enabling with which no worker has begun: what the operation that it took over has left. */
export function withoutEnabling(untouched: StoredTriggers): NextAttempt {
  const { off, restore, mayBeDeaf = false } = untouched;
  if (restore === null || mayBeDeaf) return { off, on: restore, restore };
  return { off: off.filter((live) => live.kept || !isSameTrigger(live, restore)), on: null, restore };
}

export function withoutRepeats(off: readonly TriggerToDisable[]): TriggerToDisable[] {
  return [...new Map(off.map((live) => [nameOf(live), live])).values()];
}

const nameOf = (live: TriggerToDisable): string => JSON.stringify(alone(live));

/** Whether two are one registration of a trigger: the same is kept for them. */
export const isSameRegistration = (one: TriggerToDisable, other: TriggerToDisable): boolean =>
  nameOf(one) === nameOf(other);

/** Whether two are one trigger, whatever is kept for it. */
export const isSameTrigger = (one: TriggerToDisable, other: TriggerToDisable): boolean =>
  isSameRegistration({ ...one, kept: undefined }, { ...other, kept: undefined });

const FINISH = `
  delete from trigger_operation
  where id = $1 and kind = 'ENABLING' and status = 'SUCCEEDED' and expires_at > now() returning ${COLUMNS}`;

/**
 * Ends an enabling with the change of its flow. Triggers that it could not disable are disabled in the background. False
 * when it was undone meanwhile.
 */
export async function finishOperation(send: Send, operationId: string): Promise<boolean> {
  const [row] = await send<OperationRow>(FINISH, [operationId]);
  if (!row) return false;
  const { off, on } = triggersOf(row);
  const { problem } = outcomeOf(row);
  await beginLeft(send, row, { off, on: null, restore: on }, problem);
  return true;
}

const INSERT_LEFT = `
  insert into trigger_operation (id, flow_id, project_id, kind, triggers, attempts, due_at, outcome)
  values ($1, $2, $3, 'DISABLING', $4, 1, now() + $5 * interval '1 millisecond', $6)
  returning id`;

/** Disables in the background what an ended operation could not disable. The problem is shown with the flow, if any. */
export async function beginLeft(
  send: Send,
  ended: OperationRow,
  left: NextAttempt,
  problem: string | undefined,
): Promise<void> {
  if (left.off.length === 0) return;
  const { flow_id: flowId, project_id: projectId } = ended;
  const afterMs = retryAfterMs(1, Math.random());
  await send(INSERT_LEFT, [newId(), flowId, projectId, textOfTriggers(left), afterMs, outcomeText({ problem })]);
  if (problem !== undefined) await noteHookFailure(send, flowId, problem);
}

/**
 * What an operation has come to: the result of a test, or why it failed. Of one in the background, what it has shown
 * last with its flow.
 */
interface Outcome {
  value?: unknown;
  problem?: string;
}

export const outcomeOf = ({ outcome }: Pick<OperationRow, 'outcome'>): Outcome =>
  JSON.parse(outcome ?? '{}') as Outcome;
export const outcomeText = (outcome: Outcome): string => storableText(JSON.stringify(outcome));

const SHOW = `
  insert into trigger_hook_failure as known (flow_id, message, since, failures)
  select id, $2, now(), 1 from flow where id = $1
  on conflict (flow_id) do update set message = excluded.message, failures = known.failures + 1`;
const NOTE_FAILURE = `${SHOW} returning flow_id`;
const NOTE_OWN_FAILURE = `${SHOW} where known.message = $3 returning flow_id`;
const FORGET_OWN_FAILURE = 'delete from trigger_hook_failure where flow_id = $1 and message = $2 returning flow_id';

/** Shows the failure of a hook with its flow, if the flow exists. */
export async function noteHookFailure(send: Send, flowId: string, message: string): Promise<void> {
  await send(NOTE_FAILURE, [flowId, storableText(message)]);
}

/** As above, unless the flow shows something else than `shown`. */
export async function noteOwnHookFailure(send: Send, flowId: string, message: string, shown = ''): Promise<void> {
  await send(NOTE_OWN_FAILURE, [flowId, storableText(message), storableText(shown)]);
}

export async function forgetHookFailure(send: Send, flowId: string): Promise<void> {
  await send('delete from trigger_hook_failure where flow_id = $1 returning flow_id', [flowId]);
}

/** Shows a failure no more, unless the flow shows another one. */
export async function forgetOwnHookFailure(send: Send, flowId: string, shown = ''): Promise<void> {
  await send(FORGET_OWN_FAILURE, [flowId, storableText(shown)]);
}
