import { queryOptions } from '@tanstack/react-query';
import { isUnfinished } from '../run-status/run-words';
import { answerOf, GET, POST, type Schemas } from '../api/client';
import type { Definition } from './definition';
import { words } from './words';

export type Flow = Schemas['Flow'];

/** A flow as the service has it, and the tag by which a change of it is refused after another change. */
export interface SavedFlow {
  flow: Flow;
  etag: string;
}

export const flowQuery = (id: string) =>
  queryOptions({
    queryKey: ['flow', id],
    queryFn: ({ signal }) => saved(GET('/api/v1/flows/{id}', { params: { path: { id } }, signal })),
    // The editor begins with what the service has now, and is the one that changes it from then on.
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

const MOST_PIECES = 100;

export const piecesQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['pieces', projectId],
    queryFn: ({ signal }) =>
      answerOf(GET('/api/v1/pieces', { params: { query: { projectId, limit: MOST_PIECES } }, signal })),
    staleTime: Infinity,
  });

export type Problem = Schemas['VersionProblem'];

/** What the service finds in the draft as it is saved. */
export const checkQuery = (id: string) =>
  queryOptions({
    queryKey: ['flow-check', id],
    queryFn: ({ signal }) => answerOf(POST('/api/v1/flows/{id}/check', { params: { path: { id } }, signal })),
    gcTime: 0,
  });

export const installationQuery = queryOptions({
  queryKey: ['installation'],
  queryFn: ({ signal }) => answerOf(GET('/api/v1/installation', { signal })),
  staleTime: Infinity,
});

/** How many runs of a flow have not ended: by the versions they began with. */
export const unfinishedRunsQuery = (projectId: string, flowId: string) =>
  queryOptions({
    queryKey: ['unfinished-runs', projectId, flowId],
    queryFn: ({ signal }) => {
      const query = { projectId, flowId, status: ['RUNNING' as const, 'PAUSED' as const] };
      return answerOf(GET('/api/v1/flow-runs/count-by-status', { params: { query }, signal }));
    },
    gcTime: 0,
  });

/** Publishes the draft. An empty note is none. */
export const publish = (id: string, etag: string, note: string): Promise<SavedFlow> =>
  saved(
    POST('/api/v1/flows/{id}', {
      params: { path: { id } },
      headers: { 'If-Match': etag },
      body: { type: 'LOCK_AND_PUBLISH', request: note.trim() === '' ? {} : { note: note.trim() } },
    }),
  );

/** Makes another flow of what was made here of one. */
export async function copyOfFlow(
  { projectId, version: { schemaVersion } }: Flow,
  { displayName, trigger, notes }: Definition,
): Promise<Flow> {
  const name = words.copyOf(displayName);
  const { id } = await answerOf(POST('/api/v1/flows', { body: { projectId, displayName: name } }));
  const definition = { displayName: name, trigger, notes, schemaVersion };
  const body = { type: 'IMPORT_FLOW', request: definition } as unknown as Schemas['FlowOperation'];
  return answerOf(POST('/api/v1/flows/{id}', { params: { path: { id } }, body }));
}

export type TestRun = Schemas['FlowRunDetail'];

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

const TEST_RUN_POLL_MS = 500;

/** A test run, read again until it has ended. */
export const testRunQuery = (id: string | null) =>
  queryOptions({
    queryKey: ['test-run', id],
    queryFn: ({ signal }) => answerOf(GET('/api/v1/flow-runs/{id}', { params: { path: { id: id ?? '' } }, signal })),
    enabled: id !== null,
    refetchInterval: ({ state }) => (!state.data || isUnfinished(state.data) ? TEST_RUN_POLL_MS : false),
  });

/** Returns the flow that was answered. Throws as `answerOf` does. */
export async function saved(call: Promise<{ data?: Flow; error?: unknown; response: Response }>): Promise<SavedFlow> {
  let etag = '';
  const flow = await answerOf(
    call.then((answer) => {
      etag = answer.response.headers.get('etag') ?? '';
      return answer;
    }),
  );
  return { flow, etag };
}
