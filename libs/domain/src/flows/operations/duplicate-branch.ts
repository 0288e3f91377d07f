import { copySteps, copyTitle } from '../copy-steps';
import type { PopulatedFlow } from '../flow';
import type { BranchCondition, FlowTrigger, RouterAction } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import type { JsonReader } from '../../json/json-reader';
import { parseConditions } from '../parse-branches';
import { branchesOf, conditionBranchOf, withBranches } from '../router-branches';
import { changeRouter, namesOf } from '../step-tree';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';
import { requiredBranchIndexOf, stepNameOf } from './step-request';

interface DuplicateBranchRequest {
  stepName: string;
  branchIndex: number;
  branchName: string | undefined;
  conditions: BranchCondition[][] | undefined;
}

/** Inserts a copy of a branch and its steps directly after the branch, with the given name and conditions, if any. */
export const DUPLICATE_BRANCH: FlowOperationRule<DuplicateBranchRequest> = { parse, apply };

function parse(reader: JsonReader): DuplicateBranchRequest {
  return {
    stepName: stepNameOf(reader, 'stepName'),
    branchIndex: requiredBranchIndexOf(reader, 'branchIndex'),
    branchName: reader.text('branchName', undefined),
    conditions: reader.has('conditions') ? parseConditions(reader) : undefined,
  };
}

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
