import { queryOptions } from '@tanstack/react-query';
import { answerOf, GET, type Schemas } from '../api/client';
import { keptWithin } from '../api/queries';

export type FlowSummary = Schemas['FlowSummary'];

export interface FlowFilters {
  projectId: string;
  /** Part of a name. */
  name?: string;
  status?: FlowSummary['status'];
  /** The id of a folder, or NULL for flows that are in none. */
  folderId?: string;
  cursor?: string;
}

export const FLOW_STATUSES = ['ENABLED', 'DISABLED'] as const satisfies FlowSummary['status'][];

const PAGE_SIZE = 50;

export const flowsQuery = ({ projectId, name, status, folderId, cursor }: FlowFilters) =>
  queryOptions({
    queryKey: ['flows', projectId, { name, status, folderId, cursor }],
    queryFn: ({ signal }) => {
      const query = { projectId, name, status: status && [status], folderId, cursor, limit: PAGE_SIZE };
      return answerOf(GET('/api/v1/flows', { params: { query }, signal }));
    },
    placeholderData: keptWithin(projectId),
  });

export type RunSummary = Schemas['FlowRunSummary'];

const DAY_MS = 86_400_000;
const SUMMARY_REFRESH_MS = 10_000;

/** The newest run of each flow, and how many runs it had in the last 24 hours. */
export const summariesQuery = (projectId: string, flowIds: readonly string[]) =>
  queryOptions({
    queryKey: ['flows', projectId, 'summaries', flowIds],
    queryFn: async ({ signal }) => {
      const createdAfter = new Date(Date.now() - DAY_MS).toISOString();
      const query = { projectId, flowIds: [...flowIds], createdAfter };
      const { data } = await answerOf(GET('/api/v1/flow-runs/summary', { params: { query }, signal }));
      return new Map(data.map((summary) => [summary.flowId, summary]));
    },
    enabled: flowIds.length > 0,
    refetchInterval: SUMMARY_REFRESH_MS,
    placeholderData: keptWithin(projectId),
  });
