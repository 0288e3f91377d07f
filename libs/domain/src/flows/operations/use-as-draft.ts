import { EntityNotFoundError } from '../../errors/entity-not-found.error';
import type { PopulatedFlow } from '../flow';
import type { FlowChange } from '../flow.repository';
import { stepsOf, type FlowTrigger } from '../flow-version';
import { mapSteps } from '../map-steps';
import { namesOf } from '../step-tree';
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
  const kept = namesOf(trigger);
  const gone = [...namesOf(current.version.trigger)].filter((name) => !kept.has(name));
  return gone.length === 0 ? edited : { ...edited, sampleData: { kind: 'forget', stepNames: gone } };
}

/**
 * Replaces the marks of sample data by the present ones, because sample data belongs to the flow and not to a version.
 */
function withMarksOf(present: FlowTrigger, old: FlowTrigger): FlowTrigger {
  const marks = new Map(Array.from(stepsOf(present), ({ name, settings }) => [name, settings['sampleData']]));
  return mapSteps(old, (step) => {
    const { sampleData: _stale, ...settings } = step.settings as { sampleData?: unknown };
    const sampleData = marks.get(step.name);
    return { ...step, settings: sampleData === undefined ? settings : { ...settings, sampleData } };
  });
}
