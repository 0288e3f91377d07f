import type { PopulatedFlow } from '../flow';
import type { FlowChange } from '../flow.repository';
import { shapeOf } from '../../json/request-shape';
import { copySteps, copyTitle } from '../copy-steps';
import { actionNamed, alone, insertSteps, namesOf } from '../step-tree';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';
import { STEP_NAME } from './step-request';

/** Inserts a copy of a step and its body directly after the step. Expressions in the copy name the copied steps. */
export const DUPLICATE_ACTION: FlowOperationRule<{ stepName: string }> = {
  request: shapeOf({ stepName: STEP_NAME }),
  apply,
};

function apply(
  current: PopulatedFlow,
  { stepName: name }: { stepName: string },
  context: OperationContext,
): Promise<FlowChange> {
  return editDraft(current, context, ({ trigger }) => {
    const original = alone(actionNamed(trigger, name, 'duplicated'));
    const copy = copySteps(original, namesOf(trigger));
    const titled = { ...copy, displayName: copyTitle(original.displayName) };
    return { trigger: insertSteps(trigger, { parentStep: name, location: 'AFTER' }, titled) };
  });
}
