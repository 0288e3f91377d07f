import type { PopulatedFlow } from '../flow';
import type { FlowChange } from '../flow.repository';
import { shapeOf, type ValueOf } from '../../json/request-shape';
import { branchesOf, conditionBranchOf, withBranches } from '../router-branches';
import { changeRouter, namesOf, routerNamed } from '../step-tree';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';
import { BRANCH_INDEX, STEP_NAME } from './step-request';

const REQUEST = shapeOf({
  stepName: STEP_NAME,
  branchIndex: BRANCH_INDEX,
});
type DeleteBranchRequest = ValueOf<typeof REQUEST>;

/** Deletes a branch of a router with its steps and their sample data. */
export const DELETE_BRANCH: FlowOperationRule<DeleteBranchRequest> = { request: REQUEST, apply };

async function apply(
  current: PopulatedFlow,
  { stepName, branchIndex }: DeleteBranchRequest,
  context: OperationContext,
): Promise<FlowChange> {
  const { body } = conditionBranchOf(routerNamed(current.version.trigger, stepName), branchIndex, 'deleted');
  const edited = await editDraft(current, context, ({ trigger }) => ({
    trigger: changeRouter(trigger, stepName, (router) =>
      withBranches(router, branchesOf(router).toSpliced(branchIndex, 1)),
    ),
  }));
  return body ? { ...edited, sampleData: { kind: 'forget', stepNames: [...namesOf(body)] } } : edited;
}
