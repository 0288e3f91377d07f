import { FlowOperationInvalidError } from '../../errors/flow-operation-invalid.error';
import type { PopulatedFlow } from '../flow';
import type { RouterAction } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import { optional, shapeOf, text, type ValueOf } from '../../json/request-shape';
import { CONDITIONS } from '../parse-branches';
import { branchesOf, endOfConditions, withBranches } from '../router-branches';
import { changeRouter } from '../step-tree';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';
import { BRANCH_INDEX, STEP_NAME } from './step-request';

const REQUEST = shapeOf({
  stepName: STEP_NAME,
  branchIndex: optional(BRANCH_INDEX),
  branchName: optional(text()),
  conditions: optional(CONDITIONS),
});
type AddBranchRequest = ValueOf<typeof REQUEST>;

/**
 * Adds an empty branch to a router. Without an index the branch becomes the last one, before a fallback that is last. A
 * branch without conditions is never taken, so a new branch changes the flow only when it has conditions.
 */
export const ADD_BRANCH: FlowOperationRule<AddBranchRequest> = { request: REQUEST, apply };

function apply(current: PopulatedFlow, request: AddBranchRequest, context: OperationContext): Promise<FlowChange> {
  return editDraft(current, context, ({ trigger }) => ({
    trigger: changeRouter(trigger, request.stepName, (router) => withNewBranch(router, request)),
  }));
}

function withNewBranch(
  router: RouterAction,
  { branchIndex, branchName, conditions = [] }: AddBranchRequest,
): RouterAction {
  const branches = branchesOf(router);
  const index = branchIndex ?? endOfConditions(router);
  if (index > branches.length)
    throw new FlowOperationInvalidError(
      `The router ${router.name} has ${branches.length} branches, so a new one cannot have the index ${index}.`,
    );
  const branch = { branchType: 'CONDITION', branchName: branchName ?? `Branch ${index + 1}`, conditions } as const;
  return withBranches(router, branches.toSpliced(index, 0, { branch, body: null }));
}
