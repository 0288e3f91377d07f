import { queryOptions } from '@tanstack/react-query';
import { answerOf, GET, POST, type Schemas } from '../api/client';
import { queryClient } from '../api/queries';

export type Version = Schemas['FlowVersionSummary'];
export type Flow = Schemas['Flow'];

const PAGE_SIZE = 50;

/** A flow with its latest version, and the tag by which a change is refused after another change. */
export const flowQuery = (id: string) =>
  queryOptions({
    queryKey: ['flow-of-versions', id],
    queryFn: async ({ signal }): Promise<FlowAsRead> => {
      let etag: string | null = null;
      const call = GET('/api/v1/flows/{id}', { params: { path: { id } }, signal }).then((answer) => {
        etag = answer.response.headers.get('etag');
        return answer;
      });
      const flow = await answerOf(call);
      return { flow, etag: etag ?? '' };
    },
  });

export interface FlowAsRead {
  flow: Flow;
  etag: string;
}

export const versionsQuery = (id: string, cursor: string | null) =>
  queryOptions({
    queryKey: ['flow-versions', id, cursor],
    queryFn: ({ signal }) => {
      const query = { limit: PAGE_SIZE, ...(cursor !== null && { cursor }) };
      return answerOf(GET('/api/v1/flows/{id}/versions', { params: { path: { id }, query }, signal }));
    },
  });

/** Makes the draft what a version was. It is refused when the flow has changed since it was read with the tag. */
export async function restoreAsDraft(id: string, versionId: string, etag: string): Promise<void> {
  await answerOf(
    POST('/api/v1/flows/{id}', {
      params: { path: { id } },
      headers: { 'If-Match': etag },
      body: { type: 'USE_AS_DRAFT', request: { versionId } },
    }),
  );
  await Promise.all(
    ['flow-of-versions', 'flow-versions'].map((what) => queryClient.invalidateQueries({ queryKey: [what, id] })),
  );
}
