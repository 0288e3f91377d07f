import { FlowOperationInvalidError } from '../../errors/flow-operation-invalid.error';
import type { PopulatedFlow } from '../flow';
import type { BranchCondition, RouterAction } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import type { JsonReader } from '../../json/json-reader';
import { parseConditions } from '../parse-branches';
import { branchesOf, endOfConditions, withBranches } from '../router-branches';
import { changeRouter } from '../step-tree';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';
import { branchIndexOf, stepNameOf } from './step-request';

interface AddBranchRequest {
  stepName: string;
  branchIndex: number | undefined;
  branchName: string | undefined;
  conditions: BranchCondition[][];
}

/**
 * Adds an empty branch to a router. Without an index the branch becomes the last one, before a fallback that is last. A
 * branch without conditions is never taken, so a new branch changes the flow only when it has conditions.
 */
export const ADD_BRANCH: FlowOperationRule<AddBranchRequest> = { parse, apply };

function parse(reader: JsonReader): AddBranchRequest {
  return {
    stepName: stepNameOf(reader, 'stepName'),
    branchIndex: branchIndexOf(reader, 'branchIndex'),
    branchName: reader.text('branchName', undefined),
    conditions: parseConditions(reader),
  };
}

function apply(current: PopulatedFlow, request: AddBranchRequest, context: OperationContext): Promise<FlowChange> {
  return editDraft(current, context, ({ trigger }) => ({
    trigger: changeRouter(trigger, request.stepName, (router) => withNewBranch(router, request)),
  }));
}

function withNewBranch(router: RouterAction, { branchIndex, branchName, conditions }: AddBranchRequest): RouterAction {
  const branches = branchesOf(router);
  const index = branchIndex ?? endOfConditions(router);
  if (index > branches.length)
    throw new FlowOperationInvalidError(
      `The router ${router.name} has ${branches.length} branches, so a new one cannot have the index ${index}.`,
    );
  const branch = { branchType: 'CONDITION', branchName: branchName ?? `Branch ${index + 1}`, conditions } as const;
  return withBranches(router, branches.toSpliced(index, 0, { branch, body: null }));
}
