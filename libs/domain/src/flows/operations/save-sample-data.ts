import { FlowOperationInvalidError } from '../../errors/flow-operation-invalid.error';
import type { PopulatedFlow } from '../flow';
import type { FlowStep, SampleDataMarks } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import { anyJson, oneOf, shapeOf, text, type ValueOf } from '../../json/request-shape';
import { SAMPLE_DATA_TYPES } from '../sample-data';
import { withMarks } from '../sample-data-marks';
import { findStep } from '../step-tree';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';

const REQUEST = shapeOf({
  payload: anyJson(),
  stepName: text({ description: 'An existing step.' }),
  type: oneOf(SAMPLE_DATA_TYPES),
});
type SaveSampleDataRequest = ValueOf<typeof REQUEST>;

/**
 * Stores the input or the output of a step as sample data, for editors. The payload is stored beside the version, which
 * would otherwise grow with it; the step's `settings.sampleData` only says when it was saved.
 */
export const SAVE_SAMPLE_DATA: FlowOperationRule<SaveSampleDataRequest> = { request: REQUEST, apply };

async function apply(
  current: PopulatedFlow,
  { stepName, type, payload }: SaveSampleDataRequest,
  context: OperationContext,
): Promise<FlowChange> {
  assertKeepsSampleData(findStep(current.version.trigger, stepName), stepName);
  const marks: SampleDataMarks = { [type === 'INPUT' ? 'inputSavedAt' : 'outputSavedAt']: context.now.toISOString() };
  const edited = await editDraft(current, context, ({ trigger }) => ({
    trigger: withMarks(trigger, new Map([[stepName, marks]])),
  }));
  return { ...edited, sampleData: { kind: 'save', stepName, type, payload } };
}

function assertKeepsSampleData(step: FlowStep | null, stepName: string): void {
  if (step === null) throw new FlowOperationInvalidError(`There is no step ${JSON.stringify(stepName)} in the flow.`);
  if (step.type === 'EMPTY')
    throw new FlowOperationInvalidError(`The trigger ${stepName} is not chosen yet and has no sample data.`);
}
