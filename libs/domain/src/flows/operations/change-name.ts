import type { PopulatedFlow } from '../flow';
import type { FlowChange } from '../flow.repository';
import { displayNameOf } from '../display-name';
import { editDraft, unchanged } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';

/** The name belongs to the version: the published one keeps its own until the next is published. */
export const CHANGE_NAME: FlowOperationRule<string> = { parse: displayNameOf, apply: changeName };

function changeName(
  current: PopulatedFlow,
  displayName: string,
  context: OperationContext,
): FlowChange | Promise<FlowChange> {
  if (current.version.displayName === displayName) return unchanged(current);
  return editDraft(current, context, () => ({ displayName }));
}
