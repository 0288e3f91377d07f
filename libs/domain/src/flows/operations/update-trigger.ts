import type { PopulatedFlow } from '../flow';
import type { FlowTrigger } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import { schemaRef } from '../../json/json-schema';
import { parseLoneTrigger } from '../parse-trigger';
import { assertAreFree } from '../step-tree';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';

interface UpdateTriggerRequest {
  trigger: FlowTrigger;
  /** Whether the request names the trigger. Otherwise the trigger keeps its name. */
  isNamed: boolean;
}

/**
 * Replaces the trigger; the steps after it stay. Clients send a trigger back as they got it, so the request may have a
 * `nextAction`, which has no effect. A different trigger loses the sample data.
 */
export const UPDATE_TRIGGER: FlowOperationRule<UpdateTriggerRequest> = {
  request: {
    read: (reader) => ({ trigger: parseLoneTrigger(reader.whole(), reader.path), isNamed: reader.has('name') }),
    schema: schemaRef('FlowTrigger'),
  },
  apply,
  brings: ({ trigger }) => trigger,
};

async function apply(
  current: PopulatedFlow,
  { trigger: requested, isNamed }: UpdateTriggerRequest,
  context: OperationContext,
): Promise<FlowChange> {
  const { trigger: old } = current.version;
  const trigger = isNamed ? requested : { ...requested, name: old.name };
  if (trigger.name !== old.name) assertAreFree(old, [trigger.name]);
  const edited = await editDraft(current, context, () => ({ trigger: inPlaceOf(old, trigger) }));
  if (isOfSameKind(old, trigger)) return edited;
  return { ...edited, sampleData: { kind: 'forget', stepNames: [old.name] } };
}

function inPlaceOf(old: FlowTrigger, trigger: FlowTrigger): FlowTrigger {
  const linked = old.nextAction ? { ...trigger, nextAction: old.nextAction } : trigger;
  if (linked.type === 'EMPTY' || old.type === 'EMPTY' || !isOfSameKind(old, trigger)) return linked;
  const { sampleData } = old.settings;
  return sampleData === undefined ? linked : { ...linked, settings: { ...linked.settings, sampleData } };
}

/** Whether the sample data still fits. A new name loses it too, because sample data is stored by the step's name. */
function isOfSameKind(old: FlowTrigger, trigger: FlowTrigger): boolean {
  if (old.name !== trigger.name || old.type !== trigger.type) return false;
  return (
    old.settings.pieceName === trigger.settings.pieceName && old.settings.triggerName === trigger.settings.triggerName
  );
}
