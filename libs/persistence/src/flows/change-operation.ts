import { TriggerInUseError, type OperationChange } from '@millrace/domain';
import type { EntityManager } from 'typeorm';
import { sendInManager } from '../postgres/send';
import { finishOperation, forgetHookFailure, insertOperation } from './trigger-operation.statements';

/** Writes what a change of a flow does with its operation, in the transaction that has locked the flow. */
export async function writeOperation(
  tx: EntityManager,
  change: OperationChange,
  flow: { id: string; versionId: string },
): Promise<void> {
  const send = sendInManager(tx);
  await forgetHookFailure(send, flow.id);
  const isWritten =
    change.kind === 'finish'
      ? await finishOperation(send, change.operationId)
      : await insertOperation(send, change.operation, null);
  if (!isWritten) throw new TriggerInUseError(flow.versionId);
}
