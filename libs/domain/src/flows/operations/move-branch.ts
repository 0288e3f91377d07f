import { FlowOperationInvalidError } from '../../errors/flow-operation-invalid.error';
import type { PopulatedFlow } from '../flow';
import type { RouterAction } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import type { JsonReader } from '../../json/json-reader';
import { assertHasBranch, branchesOf, conditionBranchOf, withBranches } from '../router-branches';
import { changeRouter } from '../step-tree';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';
import { requiredBranchIndexOf, stepNameOf } from './step-request';

interface MoveBranchRequest {
  stepName: string;
  source: number;
  target: number;
}

/** Moves a branch with its steps to another index. The branches in between move up or down by one. */
export const MOVE_BRANCH: FlowOperationRule<MoveBranchRequest> = { parse, apply };

function parse(reader: JsonReader): MoveBranchRequest {
  return {
    stepName: stepNameOf(reader, 'stepName'),
    source: requiredBranchIndexOf(reader, 'sourceBranchIndex'),
    target: requiredBranchIndexOf(reader, 'targetBranchIndex'),
  };
}

function apply(current: PopulatedFlow, request: MoveBranchRequest, context: OperationContext): Promise<FlowChange> {
  return editDraft(current, context, ({ trigger }) => ({
    trigger: changeRouter(trigger, request.stepName, (router) => withMovedBranch(router, request)),
  }));
}

function withMovedBranch(router: RouterAction, { source, target }: MoveBranchRequest): RouterAction {
  const moving = conditionBranchOf(router, source, 'moved');
  assertHasBranch(router, target);
  const branches = branchesOf(router);
  const passed = branches.slice(Math.min(source, target), Math.max(source, target) + 1);
  if (passed.some(({ branch }) => branch.branchType === 'FALLBACK'))
    throw new FlowOperationInvalidError(`A branch of ${router.name} cannot be moved past its fallback branch.`);
  return withBranches(router, branches.toSpliced(source, 1).toSpliced(target, 0, moving));
}
