import { queryOptions } from '@tanstack/react-query';
import { answerOf, GET, POST, type Schemas } from '../api/client';
import { cutValueOf, type CutValue } from '../json-view/cut-value';
import type { Evaluation } from '../expression-field/expression-context';

/** The last input or output of a step while its flow was built. */
export interface Sample extends CutValue {
  savedAt: string;
  /** Whether the value is too large to be shown. */
  isTooLarge: boolean;
}

export interface StepSamples {
  inputs: ReadonlyMap<string, Sample>;
  outputs: ReadonlyMap<string, Sample>;
}

/** The sample data of all steps of a flow, with shortened values. */
export const samplesQuery = (flowId: string) =>
  queryOptions({
    queryKey: ['samples', flowId],
    queryFn: async ({ signal }): Promise<StepSamples> => {
      const answer = await answerOf(GET('/api/v1/sample-data', { params: { query: { flowId } }, signal }));
      const { data } = answer as Schemas['SampleDataList'];
      return { inputs: samplesOf(data, 'INPUT'), outputs: samplesOf(data, 'OUTPUT') };
    },
  });

type Listed = Schemas['ListedSample'];

const samplesOf = (listed: readonly Listed[], type: Listed['type']): ReadonlyMap<string, Sample> =>
  new Map(listed.filter((each) => each.type === type).map((each) => [each.stepName, sampleOf(each)]));

const sampleOf = (listed: Listed): Sample => ({
  ...cutValueOf(listed.value, listed.cuts),
  savedAt: listed.savedAt,
  isTooLarge: !Object.hasOwn(listed, 'value'),
});

/** Longer texts are not evaluated. */
const LONGEST_TEXT = 10_000;

/** Evaluates texts in the settings of a step on the sample data of the steps before it. */
export async function evaluate(
  flowId: string,
  stepName: string,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Evaluation[]> {
  const asked = texts.filter((text) => text.length <= LONGEST_TEXT);
  const params = { path: { id: flowId } };
  const body = { stepName, expressions: asked };
  const { results } = await answerOf(POST('/api/v1/flows/{id}/evaluate', { params, body, signal }));
  return texts.map((text) => evaluationOf(results[asked.indexOf(text)]));
}

function evaluationOf(result: Schemas['Evaluation'] | undefined): Evaluation {
  if (!result) return { message: `Texts of more than ${LONGEST_TEXT} characters are not evaluated.`, position: 0 };
  if (result.message !== undefined) return { message: result.message, position: result.position ?? 0 };
  return { value: result.value, isMissing: result.isMissing ?? false };
}
