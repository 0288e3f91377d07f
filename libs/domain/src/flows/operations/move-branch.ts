import { FlowOperationInvalidError } from '../../errors/flow-operation-invalid.error';
import type { PopulatedFlow } from '../flow';
import type { RouterAction } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import { shapeOf, type ValueOf } from '../../json/request-shape';
import { assertHasBranch, branchesOf, conditionBranchOf, withBranches } from '../router-branches';
import { changeRouter } from '../step-tree';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';
import { BRANCH_INDEX, STEP_NAME } from './step-request';

const REQUEST = shapeOf({
  stepName: STEP_NAME,
  sourceBranchIndex: BRANCH_INDEX,
  targetBranchIndex: BRANCH_INDEX,
});
type MoveBranchRequest = ValueOf<typeof REQUEST>;

/** Moves a branch with its steps to another index. The branches in between move up or down by one. */
export const MOVE_BRANCH: FlowOperationRule<MoveBranchRequest> = { request: REQUEST, apply };

function apply(current: PopulatedFlow, request: MoveBranchRequest, context: OperationContext): Promise<FlowChange> {
  return editDraft(current, context, ({ trigger }) => ({
    trigger: changeRouter(trigger, request.stepName, (router) => withMovedBranch(router, request)),
  }));
}

function withMovedBranch(router: RouterAction, request: MoveBranchRequest): RouterAction {
  const { sourceBranchIndex: source, targetBranchIndex: target } = request;
  const moving = conditionBranchOf(router, source, 'moved');
  assertHasBranch(router, target);
  const branches = branchesOf(router);
  const passed = branches.slice(Math.min(source, target), Math.max(source, target) + 1);
  if (passed.some(({ branch }) => branch.branchType === 'FALLBACK'))
    throw new FlowOperationInvalidError(`A branch of ${router.name} cannot be moved past its fallback branch.`);
  return withBranches(router, branches.toSpliced(source, 1).toSpliced(target, 0, moving));
}
