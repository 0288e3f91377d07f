import type { PopulatedFlow } from '../flow';
import type { FlowChange } from '../flow.repository';
import type { JsonReader } from '../../json/json-reader';
import { copySteps, copyTitle } from '../copy-steps';
import { actionNamed, alone, insertSteps, namesOf } from '../step-tree';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';
import { stepNameOf } from './step-request';

/** Inserts a copy of a step and its body directly after the step. Expressions in the copy name the copied steps. */
export const DUPLICATE_ACTION: FlowOperationRule<string> = { parse, apply };

function parse(reader: JsonReader): string {
  return stepNameOf(reader, 'stepName');
}

function apply(current: PopulatedFlow, name: string, context: OperationContext): Promise<FlowChange> {
  return editDraft(current, context, ({ trigger }) => {
    const original = alone(actionNamed(trigger, name, 'duplicated'));
    const copy = copySteps(original, namesOf(trigger));
    const titled = { ...copy, displayName: copyTitle(original.displayName) };
    return { trigger: insertSteps(trigger, { parentStep: name, location: 'AFTER' }, titled) };
  });
}
