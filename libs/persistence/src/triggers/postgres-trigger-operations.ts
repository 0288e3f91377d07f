import {
  EntityNotFoundError,
  isId,
  OPERATION_PATIENCE_MS,
  TriggerInUseError,
  TriggerOperations,
  type ClaimedOperation,
  type DueOperation,
  type NextAttempt,
  type OperationEnding,
  type OperationOutcome,
  type TriggerOperation,
} from '@millrace/domain';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Pool } from 'pg';
import { insertFlowEvent } from '../event-destinations/flow-event.statements';
import { forgetDeletedFlow } from '../flows/deleted-flow.statements';
import { FLOW_CHANGED } from '../flows/postgres-flow-changes';
import { replaceListeners } from '../app-events/app-listener.statements';
import { inTransaction, type Queryable } from '../postgres/in-transaction';
import { SIDE_WORK_POOL } from '../postgres/pool-share';
import { writeStoreEntries } from '../store/store-writes';
import {
  attemptedBy,
  beginLeft,
  COLUMNS,
  FIND_OF_FLOW,
  forgetHookFailure,
  forgetOwnHookFailure,
  insertOperation,
  isUntouched,
  LOST_AFTER_SECONDS,
  noteHookFailure,
  noteOwnHookFailure,
  outcomeOf,
  outcomeText,
  textOfTriggers,
  toOperation,
  triggersOf,
  withoutEnabling,
  type OperationRow,
} from '../flows/trigger-operation.statements';
import { sendIn } from '../postgres/send';
import { keepForLeft } from './kept-for-left';
import { isWaitingFor, keepLateEnding } from './late-ending';

// A flow is always locked before its operation, so that two transactions do not wait for each other.

const LOCK_FLOW = `select coalesce(published_version_id, latest_version_id) as version from flow where id = $1 for update`;
const SET_OPERATION_STATUS = 'update flow set operation_status = $2 where id = $1';
const FIND = `select ${COLUMNS} from trigger_operation where id = $1`;
const FIND_LOCKED = `${FIND} for update`;
const REMOVE = 'delete from trigger_operation where id = $1';

const CLAIM = `
  update trigger_operation
  set attempts = attempts + 1, due_at = now() + ${LOST_AFTER_SECONDS} * interval '1 second',
    claimed_until = now() + ${LOST_AFTER_SECONDS} * interval '1 second'
  where id = $1 and epoch = $2 and status = 'PENDING' and coalesce(expires_at > now(), true)
  returning ${COLUMNS}`;

// A renewal under way settles nothing after an onEnable of its flow, whose writes it would replace.
const FENCE_RENEWAL = 'update trigger_renewal set claim_epoch = claim_epoch + 1 where flow_id = $1';

const SET_OUTCOME = 'update trigger_operation set status = $2, outcome = $3, claimed_until = null where id = $1';
const SET_TRIGGERS = 'update trigger_operation set triggers = $2 where id = $1';

const RETRY = `
  update trigger_operation
  set triggers = $2, due_at = now() + $3 * interval '1 millisecond', outcome = $4, claimed_until = null,
    attempts = case when $5 then 0 else attempts end
  where id = $1`;

const DISABLE_FLOW = `
  with disabled as (
    update flow set status = 'DISABLED', revision = revision + 1, updated = now() where id = $1 and status = 'ENABLED' returning id
  ), deaf as (
    update trigger_state
    set is_enabled = false, due_at = null, next_instant = null, claimed_until = null, updated = now()
    where flow_id in (select id from disabled)
  ), unrenewed as (
    delete from trigger_renewal where flow_id in (select id from disabled)
  )
  select id from disabled`;

// A worker may still execute a hook of the operation. The opposite hook must come after it.
const TURN_ROUND = `
  update trigger_operation
  set kind = 'DISABLING', status = 'PENDING', triggers = $2, epoch = epoch + 1, attempts = 0, expires_at = null,
    due_at = greatest(claimed_until, now())
  where id = $1`;

// What could not be undone comes last, so that it keeps no other operation from being undone.
const EXPIRED = `
  select id from trigger_operation where expires_at < now() - interval '2 seconds'
  order by id = any($2::uuid[]), id limit $1`;

const CLAIM_DUE = `
  with due as (
    select id from trigger_operation where due_at <= now() and status = 'PENDING'
    order by due_at limit $1 for update skip locked
  )
  update trigger_operation as operation
  set epoch = epoch + 1, due_at = now() + ${LOST_AFTER_SECONDS} * interval '1 second'
  from due where operation.id = due.id
  returning operation.id, epoch, project_id, triggers`;

@Injectable()
export class PostgresTriggerOperations extends TriggerOperations {
  private readonly logger = new Logger(PostgresTriggerOperations.name);
  /** The expired operations that could not be undone. */
  private readonly stuck = new Set<string>();

  constructor(@Inject(SIDE_WORK_POOL) private readonly pool: Pool) {
    super();
  }

  async begin(operation: TriggerOperation): Promise<void> {
    const { flowId, kind } = operation;
    await inTransaction(this.pool, async (tx) => {
      const [flow] = (await tx.query<{ version: string }>(LOCK_FLOW, [flowId])).rows;
      if (!flow) throw new EntityNotFoundError('flow', flowId);
      const isBegun = await insertOperation(sendIn(tx), operation, OPERATION_PATIENCE_MS);
      if (!isBegun) throw new TriggerInUseError(flow.version);
      if (kind !== 'ENABLING') return;
      await tx.query(SET_OPERATION_STATUS, [flowId, kind]);
      await noteChange(tx, flowId); // handshakes of the trigger are taken from now on
    });
  }

  async outcome(operationId: string): Promise<OperationOutcome> {
    const [row] = isId(operationId) ? (await this.pool.query<OperationRow>(FIND, [operationId])).rows : [];
    if (!row || row.kind === 'DISABLING') return { status: 'gone' };
    if (row.status === 'PENDING') return { status: 'pending' };
    const { value = null, problem = '' } = outcomeOf(row);
    return row.status === 'SUCCEEDED' ? { status: 'succeeded', value } : { status: 'failed', problem };
  }

  async undo(operationId: string): Promise<void> {
    await this.change(operationId, undoOperation);
  }

  async claim(operationId: string, epoch: number): Promise<ClaimedOperation | null> {
    const [row] = (await this.pool.query<OperationRow>(CLAIM, [operationId, epoch])).rows;
    if (!row) return null;
    const operation = toOperation(row);
    if (operation.on && operation.kind !== 'TESTING') await this.pool.query(FENCE_RENEWAL, [operation.flowId]);
    return { ...operation, epoch: row.epoch, attempt: row.attempts };
  }

  async settle(operation: ClaimedOperation, ended: OperationEnding): Promise<void> {
    await inTransaction(this.pool, async (tx) => {
      const row = await rowFor(tx, operation);
      if (!row) return;
      if (!isCurrent(row, operation)) {
        if (isWaitingFor(row, operation.id)) await keepLateEnding(tx, row, operation, ended);
        return;
      }
      const ending = await keepForLeft(tx, operation, ended);
      await writeStoreEntries(tx, operation, ending.writes);
      if (ending.listening) await replaceListeners(tx, operation.flowId, ending.listening);
      if (operation.kind === 'TESTING') await setOutcome(tx, row.id, ending);
      else if (operation.kind === 'ENABLING') await settleEnabling(tx, operation, ending);
      else await settleDisabling(tx, { operation, shown: outcomeOf(row).problem }, ending);
    });
  }

  async claimDue(limit: number): Promise<readonly DueOperation[]> {
    const expired = await this.pool.query<OperationRow>(EXPIRED, [limit, [...this.stuck]]);
    for (const { id } of expired.rows) await this.undoExpired(id);
    const { rows } = await this.pool.query<OperationRow>(CLAIM_DUE, [limit]);
    return rows.map((row) => {
      const { off, on } = triggersOf(row);
      const flowVersionId = (on ?? off[0])?.flowVersionId ?? '';
      return { id: row.id, epoch: row.epoch, projectId: row.project_id, flowVersionId };
    });
  }

  /** An operation that cannot be undone is logged once, and tried again by the next duty. */
  private async undoExpired(id: string): Promise<void> {
    try {
      await this.undo(id);
      this.stuck.delete(id);
    } catch (error) {
      if (!this.stuck.has(id)) this.logger.error(`The operation ${id} of a trigger could not be undone.`, error);
      this.stuck.add(id);
    }
  }

  /** Changes an operation, under the locks of its flow and of itself. Does nothing for an unknown operation. */
  private async change(
    operationId: string,
    change: (tx: Queryable, row: OperationRow) => Promise<void>,
  ): Promise<void> {
    await inTransaction(this.pool, async (tx) => {
      const [found] = (await tx.query<OperationRow>(FIND, [operationId])).rows;
      if (!found) return;
      await tx.query(LOCK_FLOW, [found.flow_id]);
      const [row] = (await tx.query<OperationRow>(FIND_LOCKED, [operationId])).rows;
      if (row) await change(tx, row);
    });
  }
}

/** The locked row of an operation, or of the one that took it over. */
async function rowFor(tx: Queryable, { id, flowId, kind }: ClaimedOperation): Promise<OperationRow | undefined> {
  await tx.query(LOCK_FLOW, [flowId]);
  const [own] = (await tx.query<OperationRow>(FIND_LOCKED, [id])).rows;
  return own || kind === 'TESTING' ? own : (await tx.query<OperationRow>(FIND_OF_FLOW, [flowId])).rows[0];
}

/** Whether nobody has claimed the operation since, also with the same job, and the attempt is not settled yet. */
const isCurrent = (row: OperationRow, { id, epoch, attempt }: ClaimedOperation): boolean =>
  row.id === id && row.epoch === epoch && row.attempts === attempt && row.claimed_until !== null;

/**
 * Takes back what an enabling has registered, and lets the trigger of an enabled flow listen again. When no worker has
 * begun with it, only what it took over is still to be done.
 */
async function undoOperation(tx: Queryable, row: OperationRow): Promise<void> {
  if (row.kind === 'DISABLING') return;
  const { off, on, restore } = triggersOf(row);
  if (row.kind === 'TESTING' || row.status === 'FAILED') {
    await tx.query(REMOVE, [row.id]);
    // The flow goes on to show why it could not be enabled.
    if (row.kind === 'ENABLING') await beginLeft(sendIn(tx), row, { off, on: null, restore }, undefined);
    const isDisabling = row.kind === 'ENABLING' && off.length > 0 && restore === null;
    if (isDisabling) await tx.query(SET_OPERATION_STATUS, [row.flow_id, 'DISABLING']);
    await forgetDeletedFlow(sendIn(tx), row.flow_id);
    return;
  }
  const all = { off: [...(on ? [on] : []), ...off], on: restore, restore };
  await turnRound(tx, row, isUntouched(row) ? withoutEnabling(triggersOf(row)) : all);
}

async function turnRound(tx: Queryable, row: OperationRow, { off, on, restore }: NextAttempt): Promise<void> {
  const { id, flow_id: flowId } = row;
  const isListening = restore !== null && on === null;
  const isNothing = off.length === 0 && on === null;
  await tx.query(SET_OPERATION_STATUS, [flowId, isNothing || isListening ? 'NONE' : 'DISABLING']);
  if (isNothing) await remove(tx, id, flowId);
  else await tx.query(TURN_ROUND, [id, textOfTriggers({ off, on, restore, waitsFor: attemptedBy(row) })]);
}

/**
 * The api reads the outcome, and finishes the operation with the change of the flow. The operation keeps what it could
 * not disable, and whether the trigger of an enabled flow listens.
 */
async function settleEnabling(tx: Queryable, operation: TriggerOperation, ending: OperationEnding): Promise<void> {
  await setOutcome(tx, operation.id, ending);
  const { on, restore } = operation;
  const isDeaf = ending.kind === 'failed' && !ending.listens;
  const off = ending.kind === 'retry' ? ending.next.off : (ending.left?.off ?? []);
  await tx.query(SET_TRIGGERS, [operation.id, textOfTriggers({ off, on, restore: isDeaf ? null : restore })]);
  if (ending.kind === 'succeeded') return;
  await tx.query(SET_OPERATION_STATUS, [operation.flowId, 'NONE']);
  if (ending.problem !== null) await noteHookFailure(sendIn(tx), operation.flowId, ending.problem);
  if (restore && isDeaf) await disableFlow(tx, operation.flowId);
}

/** `shown` is what the operation has shown last with its flow. */
async function settleDisabling(
  tx: Queryable,
  { operation, shown }: { operation: ClaimedOperation; shown: string | undefined },
  ending: OperationEnding,
): Promise<void> {
  const { id, flowId, on, restore } = operation;
  const send = sendIn(tx);
  if (ending.kind === 'retry') {
    const { next, problem } = ending;
    const outcome = outcomeText({ problem: problem ?? shown });
    await tx.query(RETRY, [id, textOfTriggers(next), ending.afterMs, outcome, ending.startsOver ?? false]);
    if (next.restore && !next.on) await tx.query(SET_OPERATION_STATUS, [flowId, 'NONE']);
    // What is only left of a registration hides no other failure of the flow's trigger.
    if (problem !== null && on) await noteHookFailure(send, flowId, problem);
    else if (problem !== null) await noteOwnHookFailure(send, flowId, problem, shown);
    return;
  }
  await remove(tx, id, flowId);
  await tx.query(SET_OPERATION_STATUS, [flowId, 'NONE']);
  if (ending.kind === 'failed') await noteHookFailure(send, flowId, ending.problem);
  else if (on) await forgetHookFailure(send, flowId);
  else await forgetOwnHookFailure(send, flowId, shown);
  if (restore && ending.kind === 'failed' && !ending.listens) await disableFlow(tx, flowId);
}

async function remove(tx: Queryable, operationId: string, flowId: string): Promise<void> {
  await tx.query(REMOVE, [operationId]);
  await forgetDeletedFlow(sendIn(tx), flowId);
}

async function setOutcome(tx: Queryable, operationId: string, ending: OperationEnding): Promise<void> {
  const isDone = ending.kind === 'succeeded';
  const outcome = isDone
    ? { value: ending.value ?? null, problem: ending.left?.problem }
    : { problem: ending.problem ?? undefined };
  await tx.query(SET_OUTCOME, [operationId, isDone ? 'SUCCEEDED' : 'FAILED', outcomeText(outcome)]);
}

/** Disables a flow whose trigger no longer listens, and cannot be made to listen. */
async function disableFlow(tx: Queryable, flowId: string): Promise<void> {
  const { rowCount } = await tx.query(DISABLE_FLOW, [flowId]);
  if (rowCount === 1) await insertFlowEvent(tx, flowId, 'flow.disabled');
  await noteChange(tx, flowId);
}

const noteChange = (tx: Queryable, flowId: string) => tx.query('select pg_notify($1, $2)', [FLOW_CHANGED, flowId]);
