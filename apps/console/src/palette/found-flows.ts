import { queryOptions } from '@tanstack/react-query';
import { answerOf, GET } from '../api/client';
import { keptWithin } from '../api/queries';

const MOST_FOUND = 20;

/** The flows of the project whose names contain the text, the newest first. */
export const foundFlowsQuery = (projectId: string, name: string) =>
  queryOptions({
    queryKey: ['flows', projectId, 'palette', name],
    queryFn: async ({ signal }) => {
      const params = { query: { projectId, name, limit: MOST_FOUND } };
      const { data } = await answerOf(GET('/api/v1/flows', { params, signal }));
      return data.map(({ id, version }) => ({ name: version.displayName, address: `/flows/${id}` }));
    },
    placeholderData: keptWithin(projectId),
  });
