import type { PopulatedFlow } from '../flow';
import type { FlowAction } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import { pointer, type JsonReader } from '../../json/json-reader';
import { parseAction } from '../parse-trigger';
import { assertAreFree, insertSteps, namesOf, STEP_LOCATIONS, type StepPlace } from '../step-tree';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';
import { branchIndexOf, stepNameOf } from './step-request';

interface AddActionRequest {
  place: StepPlace;
  action: FlowAction;
}

/** Inserts a step with its body and the steps after it. The steps that stood in this place follow the new ones. */
export const ADD_ACTION: FlowOperationRule<AddActionRequest> = { parse, apply, brings: ({ action }) => action };

function parse(reader: JsonReader): AddActionRequest {
  const place: StepPlace = {
    parentStep: stepNameOf(reader, 'parentStep'),
    location: reader.oneOf('stepLocationRelativeToParent', STEP_LOCATIONS, 'AFTER'),
    branchIndex: branchIndexOf(reader, 'branchIndex'),
  };
  reader.needs('action');
  reader.throwIfWrong();
  return { place, action: parseAction(reader.any('action'), pointer(reader.path, 'action')) };
}

function apply(
  current: PopulatedFlow,
  { place, action }: AddActionRequest,
  context: OperationContext,
): Promise<FlowChange> {
  return editDraft(current, context, ({ trigger }) => {
    assertAreFree(trigger, namesOf(action));
    return { trigger: insertSteps(trigger, place, action) };
  });
}
