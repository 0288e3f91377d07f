import { FlowOperationInvalidError } from '../../errors/flow-operation-invalid.error';
import type { PopulatedFlow } from '../flow';
import type { FlowChange } from '../flow.repository';
import { changeFlow, unchanged } from './edit-draft';
import { shapeOf, text } from '../../json/request-shape';
import type { FlowOperationRule, OperationContext } from './flow-operation';

/** Makes another member of the project the owner of the flow. */
export const UPDATE_OWNER: FlowOperationRule<{ ownerId: string }> = {
  request: shapeOf({ ownerId: text() }),
  apply: updateOwner,
};

async function updateOwner(
  current: PopulatedFlow,
  { ownerId }: { ownerId: string },
  { hasMember }: OperationContext,
): Promise<FlowChange> {
  if (current.ownerId === ownerId) return unchanged(current);
  if (!(await hasMember(ownerId)))
    throw new FlowOperationInvalidError(`The user ${JSON.stringify(ownerId)} has no role in the project.`);
  return changeFlow(current, { ownerId });
}
