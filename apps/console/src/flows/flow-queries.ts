import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf, GET, type Schemas } from '../api/client';

export type FlowSummary = Schemas['FlowSummary'];

export interface FlowFilters {
  projectId: string;
  /** Part of a name. */
  name?: string;
  status?: FlowSummary['status'];
  cursor?: string;
}

export const FLOW_STATUSES = ['ENABLED', 'DISABLED'] as const satisfies FlowSummary['status'][];

const PAGE_SIZE = 50;

export const flowsQuery = ({ projectId, name, status, cursor }: FlowFilters) =>
  queryOptions({
    queryKey: ['flows', projectId, { name, status, cursor }],
    queryFn: ({ signal }) => {
      const query = { projectId, name, status: status && [status], cursor, limit: PAGE_SIZE };
      return answerOf(GET('/api/v1/flows', { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
  });
