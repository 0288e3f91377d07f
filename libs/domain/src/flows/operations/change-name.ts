import type { PopulatedFlow } from '../flow';
import type { FlowChange } from '../flow.repository';
import { DISPLAY_NAME } from '../display-name';
import { editDraft, unchanged } from './edit-draft';
import { shapeOf } from '../../json/request-shape';
import type { FlowOperationRule, OperationContext } from './flow-operation';

/** Changes the name of the draft. The published version keeps its name until another version is published. */
export const CHANGE_NAME: FlowOperationRule<{ displayName: string }> = {
  request: shapeOf({ displayName: DISPLAY_NAME }),
  apply: changeName,
};

function changeName(
  current: PopulatedFlow,
  { displayName }: { displayName: string },
  context: OperationContext,
): FlowChange | Promise<FlowChange> {
  if (current.version.displayName === displayName) return unchanged(current);
  return editDraft(current, context, () => ({ displayName }));
}
