import { queryOptions } from '@tanstack/react-query';
import { answerOf, GET } from '../api/client';

const MOST = 100;

/** The connections that can be chosen. A project with more has the others by expression. */
export const connectionsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['connections', projectId, 'choices'],
    queryFn: ({ signal }) =>
      answerOf(GET('/api/v1/connections', { params: { query: { projectId, limit: MOST } }, signal })),
  });
