import { queryOptions } from '@tanstack/react-query';
import { isUnfinished } from '../run-status/run-words';
import { answerOf, GET, POST, type Schemas } from '../api/client';

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

/** Lets what is published start runs, or no longer. */
export const changeStatus = (id: string, etag: string, status: Flow['status']): Promise<SavedFlow> =>
  saved(
    POST('/api/v1/flows/{id}', {
      params: { path: { id } },
      headers: { 'If-Match': etag },
      body: { type: 'CHANGE_STATUS', request: { status } },
    }),
  );

export type TestRun = Schemas['FlowRunDetail'];

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
