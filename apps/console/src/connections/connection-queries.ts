import { queryOptions } from '@tanstack/react-query';
import { answerOf, DELETE, GET, POST, type Schemas } from '../api/client';
import { keptWithin, queryClient } from '../api/queries';

export type Connection = Schemas['Connection'];
export type ConnectionDetail = Schemas['ConnectionDetail'];

const PAGE_SIZE = 50;

export const connectionsQuery = (projectId: string, cursor: string | null) =>
  queryOptions({
    queryKey: ['connections', projectId, cursor],
    queryFn: ({ signal }) => {
      const query = { projectId, cursor: cursor ?? undefined, limit: PAGE_SIZE };
      return answerOf(GET('/api/v1/connections', { params: { query }, signal }));
    },
    placeholderData: keptWithin(projectId),
  });

export const connectionQuery = (id: string) =>
  queryOptions({
    queryKey: ['connections', 'one', id],
    queryFn: ({ signal }) => answerOf(GET('/api/v1/connections/{id}', { params: { path: { id } }, signal })),
  });

export const testConnection = (id: string) =>
  answerOf(POST('/api/v1/connections/{id}/test', { params: { path: { id } } }));

export async function deleteConnection(id: string): Promise<void> {
  await answerOf(DELETE('/api/v1/connections/{id}', { params: { path: { id } } }));
  // Not awaited: the page that shows the connection is left, and must not be read again before that.
  void queryClient.invalidateQueries({ queryKey: ['connections'], refetchType: 'none' });
}
