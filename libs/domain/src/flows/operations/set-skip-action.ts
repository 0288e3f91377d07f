import type { PopulatedFlow } from '../flow';
import type { FlowStep, FlowTrigger } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import { flag, shapeOf, type ValueOf } from '../../json/request-shape';
import { mapSteps } from '../map-steps';
import { assertAreActions } from '../step-tree';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';
import { STEP_NAMES } from './step-request';

const REQUEST = shapeOf({
  skip: flag(),
  names: STEP_NAMES,
});
type SetSkipRequest = ValueOf<typeof REQUEST>;

/** Sets whether runs skip the named steps. */
export const SET_SKIP_ACTION: FlowOperationRule<SetSkipRequest> = { request: REQUEST, apply };

function apply(
  current: PopulatedFlow,
  { names, skip }: SetSkipRequest,
  context: OperationContext,
): Promise<FlowChange> {
  assertAreActions(current.version.trigger, names, 'skipped');
  return editDraft(current, context, ({ trigger }) => ({ trigger: withSkip(trigger, new Set(names), skip) }));
}

const withSkip = (trigger: FlowTrigger, names: ReadonlySet<string>, skip: boolean): FlowTrigger =>
  mapSteps(trigger, <S extends FlowStep>(step: S): S => (names.has(step.name) ? { ...step, skip } : step));
