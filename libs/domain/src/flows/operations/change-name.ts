import type { PopulatedFlow } from '../flow';
import type { FlowChange } from '../flow.repository';
import { displayNameOf } from '../display-name';
import { editDraft, unchanged } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';

/** Changes the name of the draft. The published version keeps its name until another version is published. */
export const CHANGE_NAME: FlowOperationRule<string> = { parse: displayNameOf, apply: changeName };

function changeName(
  current: PopulatedFlow,
  displayName: string,
  context: OperationContext,
): FlowChange | Promise<FlowChange> {
  if (current.version.displayName === displayName) return unchanged(current);
  return editDraft(current, context, () => ({ displayName }));
}
