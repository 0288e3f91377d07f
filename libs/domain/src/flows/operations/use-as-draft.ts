import { EntityNotFoundError } from '../../errors/entity-not-found.error';
import type { PopulatedFlow } from '../flow';
import type { FlowChange } from '../flow.repository';
import { forgettingGone, withMarksOf } from '../sample-data-marks';
import { editDraft, unchanged } from './edit-draft';
import { shapeOf, text } from '../../json/request-shape';
import type { FlowOperationRule, OperationContext } from './flow-operation';

/** Replaces the content of the draft by that of an earlier version. The former content is lost. */
export const USE_AS_DRAFT: FlowOperationRule<{ versionId: string }> = {
  request: shapeOf({ versionId: text() }),
  apply: useAsDraft,
};

/** Throws EntityNotFoundError when the flow has no such version. */
async function useAsDraft(
  current: PopulatedFlow,
  { versionId }: { versionId: string },
  context: OperationContext,
): Promise<FlowChange> {
  if (current.version.id === versionId && current.version.state === 'DRAFT') return unchanged(current);
  const source = await context.findVersion(versionId);
  if (source === null) throw new EntityNotFoundError('flow_version', versionId);
  const { displayName, notes, schemaVersion } = source;
  const trigger = withMarksOf(current.version.trigger, source.trigger);
  const edited = await editDraft(current, context, () => ({ displayName, trigger, notes, schemaVersion }));
  return { ...edited, ...forgettingGone(current.version.trigger, trigger) };
}
