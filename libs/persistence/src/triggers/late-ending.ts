import type { ClaimedOperation, LiveTrigger, OperationEnding, TriggerToDisable } from '@millrace/domain';
import {
  isSameRegistration,
  isSameTrigger,
  textOfTriggers,
  triggersOf,
  withoutRepeats,
  type OperationRow,
} from '../flows/trigger-operation.statements';
import type { Queryable } from '../postgres/in-transaction';
import { writeStoreEntries } from '../store/store-writes';
import { keepForLeft, leftBy } from './kept-for-left';

const BEGIN_NOW = `
  update trigger_operation set triggers = $2, claimed_until = null, due_at = now() where id = $1`;

/** Whether nobody has begun with an operation yet, which waits for the end of an attempt of that one. */
export const isWaitingFor = (row: OperationRow, operationId: string): boolean =>
  row.attempts === 0 && row.claimed_until !== null && (triggersOf(row).waitsFor ?? operationId) === operationId;

/**
 * Keeps how an attempt ended whose operation was undone or taken over meanwhile. Its writes say what there is to take
 * back. The operation of the row takes that back, and begins now.
 */
export async function keepLateEnding(
  tx: Queryable,
  row: OperationRow,
  attempt: ClaimedOperation,
  ended: OperationEnding,
): Promise<void> {
  const ending = await keepForLeft(tx, attempt, ended);
  await writeStoreEntries(tx, attempt, ending.writes);
  const triggers = triggersOf(row);
  const off = offAfter(triggers.off, attempt, ending);
  await tx.query(BEGIN_NOW, [row.id, textOfTriggers({ ...triggers, off })]);
}

/**
 * What is still to be disabled after the attempt. A trigger that was left has what the attempt kept for it. If it was
 * also enabled by the attempt, it is registered twice, and is disabled twice.
 */
function offAfter(
  off: readonly TriggerToDisable[],
  attempt: ClaimedOperation,
  ending: OperationEnding,
): TriggerToDisable[] {
  const left = leftBy(ending);
  const enabled = enabledBy(attempt, ending);
  const tried = saysWhatIsLeft(attempt, ending) ? attempt.off : [];
  const isTried = (live: TriggerToDisable) =>
    left.some((other) => isSameTrigger(other, live)) || tried.some((other) => isSameRegistration(other, live));
  const isEnabled = (live: TriggerToDisable) => enabled !== null && !live.kept && isSameTrigger(enabled, live);
  return withoutRepeats([...off.filter((live) => isEnabled(live) || !isTried(live)), ...left]);
}

/** Whether all is disabled that an attempt has not left. A background operation that gives up leaves what it could not. */
const saysWhatIsLeft = ({ kind }: ClaimedOperation, ending: OperationEnding): boolean =>
  kind === 'ENABLING' || ending.kind !== 'failed';

/** The trigger whose `onEnable` was the last to succeed in an attempt. */
function enabledBy({ kind, on, restore }: ClaimedOperation, ending: OperationEnding): LiveTrigger | null {
  if (ending.kind === 'succeeded') return on;
  if (ending.kind === 'retry') return ending.next.on === null ? on : null;
  return kind === 'ENABLING' && ending.listens ? restore : null;
}
