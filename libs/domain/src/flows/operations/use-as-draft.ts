import { EntityNotFoundError } from '../../errors/entity-not-found.error';
import type { PopulatedFlow } from '../flow';
import type { FlowChange } from '../flow.repository';
import { editDraft, unchanged } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';

/** Makes the draft what an earlier version of the flow was. What the draft held is gone. */
export const USE_AS_DRAFT: FlowOperationRule<string> = {
  parse: (reader) => reader.requiredText('versionId'),
  apply: useAsDraft,
};

/** Throws EntityNotFoundError when the flow has no such version. */
async function useAsDraft(current: PopulatedFlow, versionId: string, context: OperationContext): Promise<FlowChange> {
  if (current.version.id === versionId && current.version.state === 'DRAFT') return unchanged(current);
  const source = await context.findVersion(versionId);
  if (source === null) throw new EntityNotFoundError('flow_version', versionId);
  const { displayName, trigger, notes, schemaVersion } = source;
  return editDraft(current, context, () => ({ displayName, trigger, notes, schemaVersion }));
}
