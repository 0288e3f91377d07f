import { queryOptions } from '@tanstack/react-query';
import { answerOf, GET, type Schemas } from '../api/client';
import { keptWithin } from '../api/queries';
import type { RunFilters } from './run-filters';

export const PAGE_SIZE = 50;
const MOST_FLOWS = 100;
/** After how long a query is repeated. */
type Every = number | false;

export type RunPage = Schemas['FlowRunPage'];

const listRuns = (query: RunFilters & { projectId: string; cursor?: string; limit: number }, signal: AbortSignal) =>
  answerOf(GET('/api/v1/flow-runs', { params: { query }, signal }));

/** The runs on the screen. They are asked for anew only when somebody wants to see them anew. */
export const runsQuery = (projectId: string, filters: RunFilters, cursor?: string) =>
  queryOptions({
    queryKey: ['runs', projectId, filters, cursor ?? ''],
    queryFn: ({ signal }) => listRuns({ ...filters, projectId, cursor, limit: PAGE_SIZE }, signal),
    placeholderData: keptWithin(projectId),
    staleTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

/** The first page as it is now. */
export const latestRunsQuery = (projectId: string, filters: RunFilters, isOn: boolean, every: Every) =>
  queryOptions({
    queryKey: ['runs', projectId, filters, 'latest'],
    queryFn: ({ signal }) => listRuns({ ...filters, projectId, limit: PAGE_SIZE }, signal),
    enabled: isOn,
    refetchInterval: every,
  });

/** The unfinished runs of the screen as they are now, also when they no longer match. */
export const changedRunsQuery = (projectId: string, flowRunIds: string[], isOn: boolean, every: Every) =>
  queryOptions({
    queryKey: ['runs', projectId, 'changed', flowRunIds],
    queryFn: ({ signal }) =>
      listRuns({ projectId, flowRunIds, includeArchived: true, limit: flowRunIds.length }, signal),
    enabled: isOn && flowRunIds.length > 0,
    refetchInterval: every,
    placeholderData: keptWithin(projectId),
  });

/** How many runs have each status. The status is no filter of it. */
export const countsQuery = (projectId: string, filters: RunFilters, every: Every) =>
  queryOptions({
    queryKey: ['runs', projectId, 'counts', { ...filters, status: undefined }],
    queryFn: ({ signal }) => {
      const query = { ...filters, status: undefined, projectId };
      return answerOf(GET('/api/v1/flow-runs/count-by-status', { params: { query }, signal }));
    },
    placeholderData: keptWithin(projectId),
    refetchInterval: every,
  });

/** How many runs there were over time. */
export const histogramQuery = (projectId: string, filters: RunFilters, every: Every) =>
  queryOptions({
    queryKey: ['runs', projectId, 'histogram', filters],
    queryFn: ({ signal }) =>
      answerOf(GET('/api/v1/flow-runs/histogram', { params: { query: { ...filters, projectId } }, signal })),
    placeholderData: keptWithin(projectId),
    refetchInterval: every,
  });

/** The flows to choose from. */
export const flowChoicesQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['flows', projectId, 'choices'],
    queryFn: ({ signal }) =>
      answerOf(GET('/api/v1/flows', { params: { query: { projectId, limit: MOST_FLOWS } }, signal })),
    staleTime: 60_000,
  });
