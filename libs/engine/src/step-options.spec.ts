import { resultAt, stepOptionsCases, stepsInShort, type StepOptionsCase } from '@millrace/domain/testing';
import { walk } from './testing/a-walk';

describe('a flow', () => {
  it.each(stepOptionsCases().map((row) => [row.name, row] as const))('%s', async (_, row) => {
    const { outcome, steps } = await walk(stepsInShort(row.steps), { trigger: { body: row.payload } });

    expect(outcome).toMatchObject(outcomeOf(row));
    for (const [path, expected] of Object.entries(row.results))
      expect(resultAt(steps, path)).toMatchObject(resultOf(expected));
    for (const path of row.absent ?? []) expect(resultAt(steps, path)).toBeUndefined();
  });
});

function outcomeOf({ status, stepsCount, failedStep, failure = '' }: StepOptionsCase): object {
  if (status === 'SUCCEEDED') return { kind: 'succeeded', stepsCount };
  return {
    kind: 'failed',
    stepsCount,
    step: { name: failedStep, message: expect.stringContaining(failure) as string },
  };
}

function resultOf({ errorMessage, ...rest }: StepOptionsCase['results'][string]): object {
  return errorMessage === undefined ? rest : { ...rest, errorMessage: expect.stringContaining(errorMessage) as string };
}
