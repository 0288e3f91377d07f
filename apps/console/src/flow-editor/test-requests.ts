import { queryOptions } from '@tanstack/react-query';
import { answerOf, GET, POST, type Schemas } from '../api/client';
import { queryClient } from '../api/queries';
import { saved, type SavedFlow, type TestRun } from './flow-requests';
import { words } from './panel-words';

export type StepTest = Schemas['StepTest'];
export type TriggerTest = Schemas['TriggerTest'];

const readSamplesAgain = (flowId: string): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: ['samples', flowId] });

/** Runs one step alone on the sample data of the others, and keeps what it was given and gave. */
export async function testStep(flowId: string, stepName: string): Promise<StepTest> {
  const test = await answerOf(POST('/api/v1/sample-data/test-step', { body: { flowId, stepName } }));
  await readSamplesAgain(flowId);
  return test;
}

/** Asks the trigger what it would give now, and keeps the newest. */
export async function testTrigger(flowId: string): Promise<TriggerTest> {
  const test = await answerOf(POST('/api/v1/test-trigger', { body: { flowId } }));
  await readSamplesAgain(flowId);
  return test;
}

/** Takes the data of a run as the sample data of the flow. */
export async function takeSamples(flowId: string, fromRunId: string): Promise<Schemas['TakenSamples']> {
  const params = { path: { id: flowId } };
  const taken = await answerOf(POST('/api/v1/flows/{id}/sample-data', { params, body: { fromRunId } }));
  await readSamplesAgain(flowId);
  return taken;
}

const CAUGHT_POLL_MS = 1_000;

/** The newest of what the trigger got while the flow was built; null when it got nothing yet. It is read again and again. */
export const newestEventQuery = (flowId: string) =>
  queryOptions({
    queryKey: ['newest-event', flowId],
    queryFn: async ({ signal }): Promise<Schemas['TriggerEvent'] | null> => {
      const params = { query: { flowId, limit: 1 } };
      const { data } = await answerOf(GET('/api/v1/trigger-events', { params, signal }));
      return data[0] ?? null;
    },
    refetchInterval: CAUGHT_POLL_MS,
    gcTime: 0,
  });

const MOST_RUNS = 20;

/** The newest runs of the flow, whose data a test can take. */
export const newestRunsQuery = (projectId: string, flowId: string) =>
  queryOptions({
    queryKey: ['newest-runs', projectId, flowId],
    queryFn: ({ signal }) => {
      const params = { query: { projectId, flowId, limit: MOST_RUNS } };
      return answerOf(GET('/api/v1/flow-runs', { params, signal }));
    },
    gcTime: 0,
  });

/** What the trigger of a run gave. Throws an Error when the run has it no more, or as a file alone. */
export async function triggerOutputOf(runId: string, triggerName: string): Promise<unknown> {
  const { steps } = await answerOf(GET('/api/v1/flow-runs/{id}', { params: { path: { id: runId } } }));
  const output = steps && Object.hasOwn(steps, triggerName) ? steps[triggerName]?.output : undefined;
  if (output === undefined || output === null) throw new Error(words.noRunData);
  return output;
}

/** Runs the draft. Without a payload the trigger gives its sample data. */
export const startTestRun = (id: string, payload: unknown): Promise<TestRun> =>
  answerOf(
    POST('/api/v1/flows/{id}/test-run', {
      params: { path: { id } },
      body: payload === undefined ? {} : { payload: payload as Schemas['StartTestRun']['payload'] },
    }),
  );

/** Keeps a value as what a step gave. */
export const saveSample = (id: string, etag: string, stepName: string, payload: unknown): Promise<SavedFlow> =>
  saved(
    POST('/api/v1/flows/{id}', {
      params: { path: { id } },
      headers: { 'If-Match': etag },
      body: { type: 'SAVE_SAMPLE_DATA', request: { stepName, type: 'OUTPUT', payload } },
    }),
  );
