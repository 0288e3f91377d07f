import { copySteps, copyTitle } from '../copy-steps';
import type { PopulatedFlow } from '../flow';
import type { FlowTrigger, RouterAction } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import { optional, shapeOf, text, type ValueOf } from '../../json/request-shape';
import { CONDITIONS } from '../parse-branches';
import { branchesOf, conditionBranchOf, withBranches } from '../router-branches';
import { changeRouter, namesOf } from '../step-tree';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';
import { BRANCH_INDEX, STEP_NAME } from './step-request';

const REQUEST = shapeOf({
  stepName: STEP_NAME,
  branchIndex: BRANCH_INDEX,
  branchName: optional(text()),
  conditions: optional(CONDITIONS),
});
type DuplicateBranchRequest = ValueOf<typeof REQUEST>;

/** Inserts a copy of a branch and its steps directly after the branch, with the given name and conditions, if any. */
export const DUPLICATE_BRANCH: FlowOperationRule<DuplicateBranchRequest> = { request: REQUEST, apply };

function apply(
  current: PopulatedFlow,
  request: DuplicateBranchRequest,
  context: OperationContext,
): Promise<FlowChange> {
  return editDraft(current, context, ({ trigger }) => ({
    trigger: changeRouter(trigger, request.stepName, (router) => withCopy(router, request, trigger)),
  }));
}

function withCopy(router: RouterAction, request: DuplicateBranchRequest, trigger: FlowTrigger): RouterAction {
  const { branchIndex, branchName, conditions } = request;
  const { branch, body } = conditionBranchOf(router, branchIndex, 'duplicated');
  const copy = {
    branch: {
      ...branch,
      branchName: branchName ?? copyTitle(branch.branchName),
      ...(conditions ? { conditions } : {}),
    },
    body: body && copySteps(body, namesOf(trigger)),
  };
  return withBranches(router, branchesOf(router).toSpliced(branchIndex + 1, 0, copy));
}
