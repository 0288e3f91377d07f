import { FlowOperationInvalidError } from '../../errors/flow-operation-invalid.error';
import type { PopulatedFlow } from '../flow';
import type { FlowTrigger } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import { optional, shapeOf, type ValueOf } from '../../json/request-shape';
import { actionNamed, alone, insertSteps, namesOf, removeSteps, stepNamed } from '../step-tree';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';
import { BRANCH_INDEX, STEP_LOCATION, STEP_NAME } from './step-request';

const REQUEST = shapeOf({
  name: STEP_NAME,
  newParentStep: STEP_NAME,
  stepLocationRelativeToNewParent: STEP_LOCATION,
  branchIndex: optional(BRANCH_INDEX),
});
type MoveActionRequest = ValueOf<typeof REQUEST>;

/** Moves a step with its body to another place. The steps that stood in the new place follow the moved step. */
export const MOVE_ACTION: FlowOperationRule<MoveActionRequest> = { request: REQUEST, apply };

function apply(current: PopulatedFlow, request: MoveActionRequest, context: OperationContext): Promise<FlowChange> {
  return editDraft(current, context, ({ trigger }) => ({ trigger: moved(trigger, request) }));
}

function moved(trigger: FlowTrigger, request: MoveActionRequest): FlowTrigger {
  const { name, newParentStep: parentStep, stepLocationRelativeToNewParent: location, branchIndex } = request;
  const step = alone(actionNamed(trigger, name, 'moved'));
  stepNamed(trigger, parentStep);
  if (namesOf(step).has(parentStep))
    throw new FlowOperationInvalidError(`The step ${name} cannot be moved to itself or into its own body.`);
  return insertSteps(removeSteps(trigger, new Set([name])), { parentStep, location, branchIndex }, step);
}
