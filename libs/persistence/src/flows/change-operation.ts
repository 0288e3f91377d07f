import { TriggerInUseError, type OperationChange } from '@millrace/domain';
import type { EntityManager } from 'typeorm';
import { finishOperation, forgetHookFailure, insertOperation, type Send } from './trigger-operation.statements';

/** Sends statements in a transaction of TypeORM, which gives the rows of an update or a deletion in a pair with their number. */
export const sendIn =
  (tx: EntityManager): Send =>
  async <Row>(text: string, values: readonly unknown[]) => {
    const answer = await tx.query<Row[] | [Row[], number]>(text, [...values]);
    const [first] = answer;
    return (Array.isArray(first) ? first : answer) as Row[];
  };

/** Writes what a change of a flow does with its operation, in the transaction that has locked the flow. */
export async function writeOperation(
  tx: EntityManager,
  change: OperationChange,
  flow: { id: string; versionId: string },
): Promise<void> {
  const send = sendIn(tx);
  const isWritten =
    change.kind === 'finish'
      ? await finishOperation(send, change.operationId)
      : await insertOperation(send, change.operation, null);
  if (!isWritten) throw new TriggerInUseError(flow.versionId);
  await forgetHookFailure(send, flow.id);
}
