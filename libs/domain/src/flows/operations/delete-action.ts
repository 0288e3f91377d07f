import type { PopulatedFlow } from '../flow';
import type { FlowChange } from '../flow.repository';
import type { JsonReader } from '../../json/json-reader';
import { assertAreActions, namesOf, removeSteps } from '../step-tree';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';
import { stepNamesOf } from './step-request';

/** Deletes steps with their bodies and their sample data. The steps after a deleted step take its place. */
export const DELETE_ACTION: FlowOperationRule<ReadonlySet<string>> = { parse, apply };

function parse(reader: JsonReader): Set<string> {
  return new Set(stepNamesOf(reader));
}

async function apply(
  current: PopulatedFlow,
  names: ReadonlySet<string>,
  context: OperationContext,
): Promise<FlowChange> {
  const { trigger } = current.version;
  assertAreActions(trigger, [...names], 'deleted');
  const left = removeSteps(trigger, names);
  const edited = await editDraft(current, context, () => ({ trigger: left }));
  const namesLeft = namesOf(left);
  const stepNames = [...namesOf(trigger)].filter((name) => !namesLeft.has(name));
  return { ...edited, sampleData: { kind: 'forget', stepNames } };
}
