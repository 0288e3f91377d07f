import type { PopulatedFlow } from '../flow';
import type { FlowChange } from '../flow.repository';
import { shapeOf } from '../../json/request-shape';
import { assertAreActions, namesOf, removeSteps } from '../step-tree';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';
import { STEP_NAMES } from './step-request';

/** Deletes steps with their bodies and their sample data. The steps after a deleted step take its place. */
export const DELETE_ACTION: FlowOperationRule<{ names: string[] }> = { request: shapeOf({ names: STEP_NAMES }), apply };

async function apply(
  current: PopulatedFlow,
  { names }: { names: readonly string[] },
  context: OperationContext,
): Promise<FlowChange> {
  const { trigger } = current.version;
  assertAreActions(trigger, [...new Set(names)], 'deleted');
  const left = removeSteps(trigger, new Set(names));
  const edited = await editDraft(current, context, () => ({ trigger: left }));
  const namesLeft = namesOf(left);
  const stepNames = [...namesOf(trigger)].filter((name) => !namesLeft.has(name));
  return { ...edited, sampleData: { kind: 'forget', stepNames } };
}
