import type { PopulatedFlow } from '../flow';
import type { FlowStep, FlowTrigger } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import type { JsonReader } from '../../json/json-reader';
import { mapSteps } from '../map-steps';
import { assertAreActions } from '../step-tree';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';
import { stepNamesOf } from './step-request';

interface SetSkipRequest {
  names: string[];
  skip: boolean;
}

/** Sets whether runs skip the named steps. */
export const SET_SKIP_ACTION: FlowOperationRule<SetSkipRequest> = { parse, apply };

function parse(reader: JsonReader): SetSkipRequest {
  reader.needs('skip');
  return { names: stepNamesOf(reader), skip: reader.flag('skip', false) };
}

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
