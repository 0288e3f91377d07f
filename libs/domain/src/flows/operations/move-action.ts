import { FlowOperationInvalidError } from '../../errors/flow-operation-invalid.error';
import type { PopulatedFlow } from '../flow';
import type { FlowTrigger } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import type { JsonReader } from '../../json/json-reader';
import {
  actionNamed,
  alone,
  insertSteps,
  namesOf,
  removeSteps,
  stepNamed,
  STEP_LOCATIONS,
  type StepPlace,
} from '../step-tree';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';
import { branchIndexOf, stepNameOf } from './step-request';

interface MoveActionRequest {
  name: string;
  place: StepPlace;
}

/** Moves a step with its body to another place. The steps that stood in the new place follow the moved step. */
export const MOVE_ACTION: FlowOperationRule<MoveActionRequest> = { parse, apply };

function parse(reader: JsonReader): MoveActionRequest {
  return {
    name: stepNameOf(reader, 'name'),
    place: {
      parentStep: stepNameOf(reader, 'newParentStep'),
      location: reader.oneOf('stepLocationRelativeToNewParent', STEP_LOCATIONS, 'AFTER'),
      branchIndex: branchIndexOf(reader, 'branchIndex'),
    },
  };
}

function apply(current: PopulatedFlow, request: MoveActionRequest, context: OperationContext): Promise<FlowChange> {
  return editDraft(current, context, ({ trigger }) => ({ trigger: moved(trigger, request) }));
}

function moved(trigger: FlowTrigger, { name, place }: MoveActionRequest): FlowTrigger {
  const step = alone(actionNamed(trigger, name, 'moved'));
  stepNamed(trigger, place.parentStep);
  if (namesOf(step).has(place.parentStep))
    throw new FlowOperationInvalidError(`The step ${name} cannot be moved to itself or into its own body.`);
  return insertSteps(removeSteps(trigger, new Set([name])), place, step);
}
