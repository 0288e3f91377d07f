import { FlowOperationInvalidError } from '../../errors/flow-operation-invalid.error';
import type { PopulatedFlow } from '../flow';
import type { FlowStep, FlowTrigger, SampleDataMarks } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import type { JsonReader } from '../../json/json-reader';
import { mapSteps } from '../map-steps';
import { SAMPLE_DATA_TYPES, type SampleDataType } from '../sample-data';
import { findStep } from '../step-tree';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';

interface SaveSampleDataRequest {
  stepName: string;
  type: SampleDataType;
  payload: unknown;
}

/**
 * Stores the input or the output of a step as sample data, for editors. The payload is stored beside the version, which
 * would otherwise grow with it; the step's `settings.sampleData` only says when it was saved.
 */
export const SAVE_SAMPLE_DATA: FlowOperationRule<SaveSampleDataRequest> = { parse, apply };

function parse(reader: JsonReader): SaveSampleDataRequest {
  reader.needs('payload');
  return {
    stepName: reader.requiredText('stepName'),
    type: reader.oneOf('type', SAMPLE_DATA_TYPES),
    payload: reader.any('payload'),
  };
}

async function apply(
  current: PopulatedFlow,
  { stepName, type, payload }: SaveSampleDataRequest,
  context: OperationContext,
): Promise<FlowChange> {
  assertKeepsSampleData(findStep(current.version.trigger, stepName), stepName);
  const marks: SampleDataMarks = { [type === 'INPUT' ? 'inputSavedAt' : 'outputSavedAt']: context.now.toISOString() };
  const edited = await editDraft(current, context, ({ trigger }) => ({ trigger: marked(trigger, stepName, marks) }));
  return { ...edited, sampleData: { kind: 'save', stepName, type, payload } };
}

function assertKeepsSampleData(step: FlowStep | null, stepName: string): void {
  if (step === null) throw new FlowOperationInvalidError(`There is no step ${JSON.stringify(stepName)} in the flow.`);
  if (step.type === 'EMPTY')
    throw new FlowOperationInvalidError(`The trigger ${stepName} is not chosen yet and has no sample data.`);
}

const marked = (trigger: FlowTrigger, stepName: string, marks: SampleDataMarks): FlowTrigger =>
  mapSteps(trigger, (step) => {
    if (step.name !== stepName || step.type === 'EMPTY') return step;
    return { ...step, settings: { ...step.settings, sampleData: { ...step.settings.sampleData, ...marks } } };
  });
