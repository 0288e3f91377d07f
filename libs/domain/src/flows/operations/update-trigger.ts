import type { PopulatedFlow } from '../flow';
import type { FlowTrigger } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import type { JsonReader } from '../../json/json-reader';
import { parseLoneTrigger } from '../parse-trigger';
import { assertAreFree } from '../step-tree';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';

interface UpdateTriggerRequest {
  trigger: FlowTrigger;
  /** A trigger without a name in the request keeps the one it has. */
  isNamed: boolean;
}

/**
 * Puts another trigger in the place of the one there is. The steps after it stay: a `nextAction` in the request may be
 * there, for clients send the trigger back as they got it, and has no effect. Sample data of another trigger is forgotten.
 */
export const UPDATE_TRIGGER: FlowOperationRule<UpdateTriggerRequest> = {
  parse,
  apply,
  brings: ({ trigger }) => trigger,
};

function parse(reader: JsonReader): UpdateTriggerRequest {
  return { trigger: parseLoneTrigger(reader.whole(), reader.path), isNamed: reader.has('name') };
}

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

/** Sample data is kept by the step's name, so it does not survive another one either. */
function isOfSameKind(old: FlowTrigger, trigger: FlowTrigger): boolean {
  if (old.name !== trigger.name || old.type !== trigger.type) return false;
  return (
    old.settings.pieceName === trigger.settings.pieceName && old.settings.triggerName === trigger.settings.triggerName
  );
}
