import { queryOptions } from '@tanstack/react-query';
import { answerOf, GET, POST, type Schemas } from '../api/client';
import { saved, type SavedFlow } from './flow-requests';

export type Problem = Schemas['VersionProblem'];

/** What the service finds in the draft as it is saved. */
export const checkQuery = (id: string) =>
  queryOptions({
    queryKey: ['flow-check', id],
    queryFn: ({ signal }) => answerOf(POST('/api/v1/flows/{id}/check', { params: { path: { id } }, signal })),
    gcTime: 0,
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
