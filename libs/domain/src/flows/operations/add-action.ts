import type { PopulatedFlow } from '../flow';
import type { FlowAction } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import { pointer } from '../../json/json-reader';
import { schemaRef } from '../../json/json-schema';
import { optional, shapeOf, type Member, type ValueOf } from '../../json/request-shape';
import { parseAction } from '../parse-trigger';
import { assertAreFree, insertSteps, namesOf } from '../step-tree';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';
import { BRANCH_INDEX, STEP_LOCATION, STEP_NAME } from './step-request';

const ACTION_WITH_STEPS: Member<FlowAction> = {
  read(reader, name) {
    reader.needs(name);
    reader.throwIfWrong();
    return parseAction(reader.any(name), pointer(reader.path, name));
  },
  schema: schemaRef('FlowAction'),
};

const REQUEST = shapeOf({
  parentStep: STEP_NAME,
  stepLocationRelativeToParent: STEP_LOCATION,
  branchIndex: optional(BRANCH_INDEX),
  action: ACTION_WITH_STEPS,
});
type AddActionRequest = ValueOf<typeof REQUEST>;

/** Inserts a step with its body and the steps after it. The steps that stood in this place follow the new ones. */
export const ADD_ACTION: FlowOperationRule<AddActionRequest> = {
  request: REQUEST,
  apply,
  brings: ({ action }) => action,
};

function apply(
  current: PopulatedFlow,
  { parentStep, stepLocationRelativeToParent: location, branchIndex, action }: AddActionRequest,
  context: OperationContext,
): Promise<FlowChange> {
  return editDraft(current, context, ({ trigger }) => {
    assertAreFree(trigger, namesOf(action));
    return { trigger: insertSteps(trigger, { parentStep, location, branchIndex }, action) };
  });
}
